import { InvalidInput } from '../../../common/validation/invalid-input.js';
import type { Form } from '../attempts/sign-in-step.js';

/**
 * Reads the fields of a form.
 * @throws InvalidInput if a field is repeated
 */
export function readSubmittedForm(body: unknown): Form {
  const entries = Object.entries((body ?? {}) as Record<string, unknown>);
  const repeated = entries.find(([, value]) => typeof value !== 'string');
  if (repeated)
    throw new InvalidInput([
      { loc: ['body', repeated[0]], msg: 'Input should be a valid string', type: 'string_type' },
    ]);
  return Object.fromEntries(entries) as Form;
}
