import { plainToInstance } from 'class-transformer';
import { validateSync } from 'class-validator';
import { faultsOf } from './input.pipe.js';
import type { InputFault } from './invalid-input.js';

/**
 * Validates one object of parsed JSON as the input pipe does, for bodies that are read in parts.
 * @param loc the position of the value in the body
 */
export function readInput<T extends object>(
  type: new () => T,
  value: unknown,
  loc: readonly (string | number)[],
): { readonly input: T; readonly faults: readonly InputFault[] } {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    const faults: InputFault[] = [{ loc, msg: 'Input should be a valid dictionary', type: 'dict_type' }];
    return { input: new type(), faults };
  }
  const input = plainToInstance(type, value);
  const errors = validateSync(input, { whitelist: true, forbidUnknownValues: false, stopAtFirstError: false });
  return { input, faults: errors.flatMap((error) => faultsOf(error, loc)) };
}
