import { createHash, createPublicKey, type KeyObject, timingSafeEqual } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { exportJWK, generateKeyPair, jwtVerify, SignJWT } from 'jose';
import { Randomness } from '../../../common/randomness.js';
import { foldedEmail } from '../../../common/validation/email.rules.js';
import type { ProviderName } from '../../../config/provider-settings.js';
import { SETTINGS, type Settings } from '../../../config/settings.js';
import { newOpaqueToken } from '../../../crypto/opaque-token.js';
import { STAND_IN_SECRET, standInClient, standInIssuer } from './stand-in-settings.js';

const KEY_ID = 'stand-in';
/** Number of codes and access tokens that are kept; older ones are dropped. */
const KEPT = 1000;

/** Parameters of an authorization request that the token request must match. */
export interface Authorization {
  readonly provider: ProviderName;
  readonly redirectUri: string;
  readonly challenge: string;
  readonly nonce: string | null;
  readonly email: string;
}

type Signing = Awaited<ReturnType<typeof generateKeyPair>>;

/** A minimal provider in memory: issues codes and tokens for any address. A restart deletes them. */
@Injectable()
export class StandInService {
  private readonly codes = new Map<string, Authorization>();
  private readonly accessTokens = new Map<string, Authorization>();
  private keys: Promise<Signing> | null = null;

  constructor(
    private readonly randomness: Randomness,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  authorize(authorization: Authorization): string {
    return remember(this.codes, newOpaqueToken(this.randomness).token, authorization);
  }

  /** Null: the request does not match the one for which the code was issued (RFC 6749 section 5.2). */
  async redeem(provider: ProviderName, sent: Readonly<Record<string, unknown>>): Promise<object | null> {
    const { code, code_verifier: verifier, redirect_uri: redirectUri } = sent;
    const found = typeof code === 'string' ? this.codes.get(code) : undefined;
    if (!found || typeof verifier !== 'string' || !(await this.isOurClient(provider, sent))) return null;
    this.codes.delete(code as string);
    const challenge = createHash('sha256').update(verifier).digest('base64url');
    if (found.provider !== provider || found.redirectUri !== redirectUri || found.challenge !== challenge) return null;
    const accessToken = remember(this.accessTokens, newOpaqueToken(this.randomness).token, found);
    const idToken = provider === 'github' ? {} : { id_token: await this.idToken(found) };
    return { access_token: accessToken, token_type: 'bearer', expires_in: 300, scope: '', ...idToken };
  }

  /** The authorization of the access token. */
  find(authorization: string | undefined): Authorization | null {
    return this.accessTokens.get(/^Bearer (.+)$/i.exec(authorization ?? '')?.[1] ?? '') ?? null;
  }

  async jwks(): Promise<object> {
    const { publicKey } = await this.signing();
    return { keys: [{ ...(await exportJWK(publicKey)), kid: KEY_ID, use: 'sig', alg: 'RS256' }] };
  }

  private async idToken(authorization: Authorization): Promise<string> {
    const { privateKey } = await this.signing();
    const { provider, nonce } = authorization;
    return new SignJWT({ ...standInClaims(authorization), ...(nonce === null ? {} : { nonce }) })
      .setProtectedHeader({ alg: 'RS256', kid: KEY_ID })
      .setIssuer(standInIssuer(this.settings, provider))
      .setAudience(standInClient(provider))
      .setIssuedAt()
      .setExpirationTime('5m')
      .sign(privateKey);
  }

  private async isOurClient(provider: ProviderName, sent: Readonly<Record<string, unknown>>): Promise<boolean> {
    const { client_id: id, client_secret: secret } = sent;
    if (id !== standInClient(provider) || typeof secret !== 'string') return false;
    if (provider !== 'apple') return equal(secret, STAND_IN_SECRET);
    const key: KeyObject = createPublicKey(this.settings.providers.apple!.privateKey);
    return jwtVerify(secret, key, {
      algorithms: ['ES256'],
      subject: id,
      audience: standInIssuer(this.settings, provider),
    })
      .then(() => true)
      .catch(() => false);
  }

  private signing(): Promise<Signing> {
    return (this.keys ??= generateKeyPair('RS256'));
  }
}

/** The same address always gets the same subject. */
export function standInClaims({ provider, email }: Authorization): Readonly<Record<string, unknown>> {
  return {
    sub: digestOf(provider, email).toString('hex').slice(0, 32),
    email,
    email_verified: true,
    name: nameOf(email),
  };
}

/** User in GitHub's format: a numeric id, and no e-mail address. */
export function standInGithubUser({ provider, email }: Authorization): Readonly<Record<string, unknown>> {
  return { id: digestOf(provider, email).readUIntBE(0, 5) + 1, login: email.split('@')[0], name: nameOf(email) };
}

function digestOf(provider: ProviderName, email: string): Buffer {
  return createHash('sha256')
    .update(`${provider}:${foldedEmail(email)}`)
    .digest();
}

/** `ada.lovelace@…` → `Ada Lovelace`. */
function nameOf(email: string): string {
  const words = email
    .split('@')[0]!
    .split(/[._+-]+/)
    .filter((word) => word !== '');
  return words.map((word) => word[0]!.toUpperCase() + word.slice(1)).join(' ');
}

function remember(kept: Map<string, Authorization>, token: string, authorization: Authorization): string {
  kept.set(token, authorization);
  for (const oldest of kept.keys()) {
    if (kept.size <= KEPT) break;
    kept.delete(oldest);
  }
  return token;
}

function equal(given: string, expected: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
}
