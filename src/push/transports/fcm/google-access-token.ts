import { SignJWT } from 'jose';
import { request } from 'undici';
import type { FcmAccount } from './fcm-account.rules.js';

const SCOPE = 'https://www.googleapis.com/auth/firebase.messaging';
const TIMEOUT_MS = 10_000;
/** No retry for this long after a failure (milliseconds): five hundred deliveries fail together. */
const RETRY_PAUSE_MS = 5_000;
/** Renewed this long before it expires (milliseconds). */
const MARGIN = 300_000;

/** No access token. @property status HTTP; null if there was no answer */
export class AccessTokenRefused extends Error {
  constructor(readonly status: number | null) {
    super(`No access token: ${status ?? 'no answer'}`);
    this.name = 'AccessTokenRefused';
  }
}

export interface AccessToken {
  readonly token: string;
  /** Milliseconds, as `Date.now()`. */
  readonly fetchedAt: number;
  readonly expiresAt: number;
}

/**
 * An account's access token: a signed assertion is exchanged for it (RFC 7523), once for all callers that wait for it.
 */
export class GoogleAccessToken {
  private current: Promise<AccessToken> | null = null;

  constructor(private readonly account: FcmAccount) {}

  /** @throws AccessTokenRefused */
  async get(): Promise<AccessToken> {
    const token = await (this.current ??= this.fetchOnce());
    if (token.expiresAt - MARGIN > Date.now()) return token;
    this.current = null;
    return this.get();
  }

  /** The receiver rejected the token. */
  forget(): void {
    this.current = null;
  }

  private fetchOnce(): Promise<AccessToken> {
    const fetched = this.fetch();
    fetched.catch(() => {
      const retry = (): void => {
        if (this.current === fetched) this.current = null;
      };
      setTimeout(retry, RETRY_PAUSE_MS).unref();
    });
    return fetched;
  }

  private async fetch(): Promise<AccessToken> {
    const { clientEmail, privateKey, tokenUri } = this.account;
    const assertion = await new SignJWT({ scope: SCOPE })
      .setProtectedHeader({ alg: 'RS256', typ: 'JWT' })
      .setIssuer(clientEmail)
      .setAudience(tokenUri)
      .setIssuedAt()
      .setExpirationTime('1h')
      .sign(privateKey);
    const answer = await ask(tokenUri, assertion);
    const { access_token, expires_in } = answer;
    if (typeof access_token !== 'string' || typeof expires_in !== 'number') throw new AccessTokenRefused(502);
    const fetchedAt = Date.now();
    // A token that lives for less than the margin is used for half its life.
    const expiresAt = fetchedAt + Math.max(expires_in * 1_000, 0);
    return { token: access_token, fetchedAt, expiresAt: Math.max(expiresAt, fetchedAt + MARGIN + expires_in * 500) };
  }
}

async function ask(tokenUri: string, assertion: string): Promise<{ access_token?: unknown; expires_in?: unknown }> {
  const form = new URLSearchParams({ grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer', assertion });
  let status: number | null = null;
  try {
    const answer = await request(tokenUri, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: form.toString(),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    status = answer.statusCode;
    const body = (await answer.body.json()) as { access_token?: unknown; expires_in?: unknown };
    if (status === 200) return body;
  } catch {
    // A proxy's answer may not be JSON; the status is enough.
  }
  throw new AccessTokenRefused(status === 200 ? 502 : status);
}
