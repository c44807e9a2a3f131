import { createHash, sign } from 'node:crypto';
import { promisify } from 'node:util';
import { Inject, Injectable } from '@nestjs/common';
import type { JWTPayload } from 'jose';
import { Clock } from '../../common/clock.js';
import { Randomness } from '../../common/randomness.js';
import { SETTINGS, type Settings } from '../../config/settings.js';
import { SigningKeys } from '../keys/signing-keys.js';
import type { AccessClaims, IdClaims, ServiceClaims, StepTokenUse } from './token-use.js';

const LOGOUT_EVENT = 'http://schemas.openid.net/event/backchannel-logout';
/** Recommended by Back-Channel Logout section 2.4. */
const LOGOUT_SECONDS = 120;

type Given<T> = Omit<T, 'iss' | 'iat' | 'exp' | 'jti' | 'token_use'>;

/** Signs JWTs with the current key, asynchronously, so that signing does not block the event loop. */
@Injectable()
export class TokenSigner {
  constructor(
    private readonly keys: SigningKeys,
    private readonly clock: Clock,
    private readonly randomness: Randomness,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  /** @param lifetime in seconds */
  signAccess(claims: Given<AccessClaims>, lifetime: number): Promise<string> {
    return this.sign('at+jwt', { ...claims, token_use: 'access' } as JWTPayload, lifetime);
  }

  /** For an exchanged token. @param end Unix seconds: the latest expiry */
  signExchanged(claims: Given<AccessClaims> & { jti: string }, lifetime: number, end: number): Promise<string> {
    return this.sign('at+jwt', { ...claims, token_use: 'access' } as JWTPayload, lifetime, end);
  }

  /** @param lifetime in seconds */
  signService(claims: Given<ServiceClaims>, lifetime: number): Promise<string> {
    return this.sign('at+jwt', { ...claims, token_use: 'service' } as JWTPayload, lifetime);
  }

  /**
   * OpenID Connect Core section 2. @param accessToken for `at_hash`
   * @param lifetime in seconds
   */
  signId(claims: Given<IdClaims>, accessToken: string, lifetime: number): Promise<string> {
    const half = createHash('sha256').update(accessToken).digest().subarray(0, 16).toString('base64url');
    return this.sign('JWT', { ...claims, at_hash: half, token_use: 'id' } as JWTPayload, lifetime);
  }

  /**
   * OpenID Connect Back-Channel Logout 1.0, section 2.4. Has no nonce and a separate type, so that it cannot be
   * mistaken for an ID token, nor the other way round.
   */
  signLogout(claims: { sub: string; aud: string; sid?: string }): Promise<string> {
    const said = { ...claims, events: { [LOGOUT_EVENT]: {} }, token_use: 'logout' };
    return this.sign('logout+jwt', said, LOGOUT_SECONDS);
  }

  /**
   * A token for the next step of a sign-in; `jti` identifies that step. Its user has not completed authentication, so
   * no app may mistake it for an access token, even if its server checks only signature, issuer and audience: the
   * audience is the issuer, and the header has a separate type (RFC 8725 sections 3.9 and 3.11).
   * @param lifetime in seconds
   */
  signStep(
    use: StepTokenUse,
    claims: { sub: string; client_id: string; jti: string; credentials_version?: number },
    lifetime: number,
  ): Promise<string> {
    const typ = `${use.replace('_', '-')}+jwt`;
    return this.sign(typ, { ...claims, aud: this.settings.baseUrl, token_use: use }, lifetime);
  }

  /**
   * RFC 7515 section 7.1, implemented here: node:crypto signs with 5 % less CPU time than jose with WebCrypto, and
   * signing is most of the cost of a token.
   */
  private async sign(typ: string, claims: JWTPayload, lifetime: number, end = Infinity): Promise<string> {
    const key = this.keys.current();
    const now = this.clock.seconds();
    const times = { iss: this.settings.baseUrl, iat: now, exp: Math.min(now + lifetime, end) };
    const jti = claims.jti ?? this.randomness.uuid();
    const input = `${encode({ alg: 'RS256', kid: key.kid, typ })}.${encode({ ...claims, ...times, jti })}`;
    const signature = await signAsync('RSA-SHA256', Buffer.from(input), key.privateKey);
    return `${input}.${signature.toString('base64url')}`;
  }
}

const signAsync = promisify(sign);

function encode(part: object): string {
  return Buffer.from(JSON.stringify(part)).toString('base64url');
}
