/** The minimum of the platform; tenants can raise it up to 64. */
export const MIN_PASSWORD_LENGTH = 8;
export const MAX_PASSWORD_LENGTH = 256;

/** The strictest of the given tenant policies, in code points. */
export function strictestMinimum(minimums: readonly number[]): number {
  return Math.max(MIN_PASSWORD_LENGTH, ...minimums);
}

export function judgePassword(password: string, minimum: number): 'ok' | 'too_short' {
  return [...password].length >= minimum ? 'ok' : 'too_short';
}
