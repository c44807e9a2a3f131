import { createHmac } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { ClientCookie } from '../../common/http/browser/client-cookie.js';
import { Randomness } from '../../common/randomness.js';
import { SETTINGS, type Settings } from '../../config/settings.js';
import { hashOpaqueToken, newOpaqueToken } from '../../crypto/opaque-token.js';
import { readConsolePath } from './console-path.rules.js';

const LIFETIME_SECONDS = 900;

/** A sign-in that this browser has begun for the console. */
export interface Pending {
  readonly state: string;
  /** RFC 7636. */
  readonly codeVerifier: string;
  readonly codeChallenge: string;
  /** Page of the console where they wanted to go. */
  readonly to: string | null;
  /** They were inside already and are asked for their credentials again. */
  readonly confirms: boolean;
}

/**
 * The sign-in under way, kept in a cookie of this browser alone: `state` and the PKCE verifier are made from its secret,
 * so an answer that was meant for another browser, or that was not requested here, is refused.
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

  /** Whatever came of it, an answer is taken once. */
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
