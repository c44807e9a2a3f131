import { Text } from '../../common/validation/fields.js';
import { InvalidInput } from '../../common/validation/invalid-input.js';

const ISO_TIME = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,6})?)?(Z|[+-]\d{2}:\d{2})?)?$/;

/** An optional time in a query string. */
export const IsoTime = () => Text({ optional: true, max: 40, pattern: ISO_TIME, description: 'ISO 8601' });

/**
 * @param name of the parameter
 * @throws InvalidInput for a text that is no valid time
 */
export function momentOf(text: string | undefined, name: string): Date | undefined {
  if (text === undefined) return undefined;
  const date = new Date(text);
  if (Number.isNaN(date.getTime()))
    throw new InvalidInput([{ loc: ['query', name], msg: 'Input should be an ISO 8601 time', type: 'value_error' }]);
  return date;
}
