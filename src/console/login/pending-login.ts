import { createHmac } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { ClientCookie } from '../../common/http/browser/client-cookie.js';
import { Randomness } from '../../common/randomness.js';
import { SETTINGS, type Settings } from '../../config/settings.js';
import { hashOpaqueToken, newOpaqueToken } from '../../crypto/opaque-token.js';
import { readConsolePath } from './console-path.rules.js';

const LIFETIME_SECONDS = 900;

/** A console sign-in that this browser has begun. */
export interface Pending {
  readonly state: string;
  /** RFC 7636. */
  readonly codeVerifier: string;
  readonly codeChallenge: string;
  /** Console page to show after the sign-in. */
  readonly to: string | null;
  /** The operator is already signed in and authenticates again. */
  readonly confirms: boolean;
}

/**
 * The pending sign-in, stored in a cookie of this browser only: `state` and the PKCE verifier are derived from its
 * secret, so that a response for another browser, or one that was not requested here, is refused.
 */
@Injectable()
export class PendingLogin {
  private readonly cookie: ClientCookie;

  constructor(
    private readonly randomness: Randomness,
    @Inject(SETTINGS) settings: Settings,
  ) {
    this.cookie = new ClientCookie('console-login', settings.baseUrl, /^[\w-]{43}\.[\w-]{0,2048}(?:\.confirm)?$/);
  }

  begin(response: Response, to: string | null, confirms = false): Pending {
    const { token } = newOpaqueToken(this.randomness);
    this.cookie.write(
      response,
      `${token}.${Buffer.from(to ?? '').toString('base64url')}${confirms ? '.confirm' : ''}`,
      LIFETIME_SECONDS,
    );
    return pendingOf(token, to, confirms);
  }

  read(request: Request): Pending | null {
    const [secret, to, confirms] = this.cookie.read(request)?.split('.') ?? [];
    if (!secret) return null;
    return pendingOf(secret, readConsolePath(Buffer.from(to ?? '', 'base64url').toString()), confirms === 'confirm');
  }

  /** Called for every response, so that none is accepted twice. */
  clear(response: Response): void {
    this.cookie.clear(response);
  }
}

function pendingOf(secret: string, to: string | null, confirms: boolean): Pending {
  const codeVerifier = derived(secret, 'verifier');
  const codeChallenge = hashOpaqueToken(codeVerifier).toString('base64url');
  return { state: derived(secret, 'state'), codeVerifier, codeChallenge, to, confirms };
}

function derived(secret: string, purpose: string): string {
  return createHmac('sha256', secret).update(`console-login:${purpose}`).digest('base64url');
}
