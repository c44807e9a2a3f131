import { InvalidInput } from '../../common/validation/invalid-input.js';

/** A field that is required by one grant only. @throws InvalidInput */
export function required(value: string | undefined, name: string): string {
  if (!value) throw InvalidInput.field(name, 'Field required', 'missing');
  return value;
}
