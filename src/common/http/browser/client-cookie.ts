import type { CookieOptions, Request, Response } from 'express';

/**
 * A cookie of ours: HttpOnly, SameSite=Lax, whole host. On https its name carries `__Host-`, so that no subdomain
 * and no plain connection can plant one.
 */
export class ClientCookie {
  private readonly name: string;
  private readonly options: CookieOptions;

  /** @param pattern of a value that is taken for ours; by default an opaque token's */
  constructor(
    name: string,
    baseUrl: string,
    private readonly pattern = /^[\w-]{43}$/,
  ) {
    const secure = baseUrl.startsWith('https:');
    this.name = hostCookieName(name, baseUrl);
    this.options = { httpOnly: true, secure, sameSite: 'lax', path: '/' };
  }

  read(request: Request): string | null {
    const value = (request.cookies as Record<string, unknown>)[this.name];
    return typeof value === 'string' && this.pattern.test(value) ? value : null;
  }

  /** @param maxAgeSeconds absent: until the browser closes */
  write(response: Response, value: string, maxAgeSeconds?: number): void {
    response.cookie(this.name, value, { ...this.options, ...(maxAgeSeconds ? { maxAge: maxAgeSeconds * 1000 } : {}) });
  }

  clear(response: Response): void {
    response.clearCookie(this.name, this.options);
  }
}

/** The name that the browser knows the cookie by. */
export function hostCookieName(name: string, baseUrl: string): string {
  return baseUrl.startsWith('https:') ? `__Host-${name}` : name;
}
