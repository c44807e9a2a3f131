import type { CookieOptions, Request, Response } from 'express';

/**
 * A cookie of the service: HttpOnly, SameSite=Lax, host-only. On https its name has the prefix `__Host-`, so that no
 * subdomain and no unencrypted connection can set it.
 */
export class ClientCookie {
  private readonly name: string;
  private readonly options: CookieOptions;

  /** @param pattern of a valid value; by default that of an opaque token */
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

/** The name of the cookie in the browser. */
export function hostCookieName(name: string, baseUrl: string): string {
  return baseUrl.startsWith('https:') ? `__Host-${name}` : name;
}
