/** In code points, as all lengths here. The minimum of the platform; tenants can raise it up to 64. */
export const MIN_PASSWORD_LENGTH = 8;
export const MAX_PASSWORD_LENGTH = 256;

/** The strictest of the given tenant policies, in code points. */
export function strictestMinimum(minimums: readonly number[]): number {
  return Math.max(MIN_PASSWORD_LENGTH, ...minimums);
}

/** @returns `too_long` also for a password with NUL, so that `abc\0def` never equals `abc` */
export function judgePassword(password: string, minimum = 1): 'ok' | 'too_short' | 'too_long' {
  const length = [...password].length;
  if (length < minimum) return 'too_short';
  return length > MAX_PASSWORD_LENGTH || password.includes('\0') ? 'too_long' : 'ok';
}
