import type { Request } from 'express';
import { ClientCookie, hostCookieName } from './client-cookie.js';

/**
 * Cookies of one kind, one for each id (for example of a sign-in attempt). The id is part of the name, because a
 * `__Host-` cookie always has the path `/`.
 */
export class ClientCookieFamily {
  private readonly prefix: string;

  constructor(
    private readonly name: string,
    private readonly baseUrl: string,
  ) {
    this.prefix = hostCookieName(`${name}-`, baseUrl);
  }

  of(id: string): ClientCookie {
    return new ClientCookie(`${this.name}-${id}`, this.baseUrl);
  }

  /** The values of all cookies of this kind in the request. */
  readAll(request: Request): string[] {
    return Object.keys(request.cookies as Record<string, unknown>)
      .filter((name) => name.startsWith(this.prefix))
      .map((name) => this.of(name.slice(this.prefix.length)).read(request))
      .filter((value) => value !== null);
  }
}
