import { InvalidInput } from '../../common/validation/invalid-input.js';

/**
 * Reads the query parameter of a one-time link.
 * @throws InvalidInput if it is missing or repeated
 */
export function requiredToken(token: unknown): string {
  if (typeof token === 'string') return token;
  const fault =
    token === undefined
      ? (['Field required', 'missing'] as const)
      : (['Input should be a valid string', 'string_type'] as const);
  throw new InvalidInput([{ loc: ['query', 'token'], msg: fault[0], type: fault[1] }]);
}
