import speakeasy from 'speakeasy';

/** An authenticator app: the other side of the shared secret. `at` is Unix seconds. */
export function codeAt(secret: string, at = Date.now() / 1000): string {
  return speakeasy.totp({ secret, encoding: 'base32', time: Math.floor(at) });
}

/** The code after the present one: right as well, and still unused where the present one was just shown. */
export function nextCode(secret: string): string {
  return codeAt(secret, Date.now() / 1000 + 30);
}

/** A code that is wrong now and in the neighboring steps. */
export function wrongCode(secret: string): string {
  const now = Date.now() / 1000;
  const right = new Set([-60, -30, 0, 30, 60].map((shift) => codeAt(secret, now + shift)));
  return ['000000', '111111', '222222', '333333', '444444', '555555'].find((code) => !right.has(code))!;
}
