import { createHash } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { type JWTPayload, SignJWT } from 'jose';
import { Clock } from '../common/clock.js';
import { Randomness } from '../common/randomness.js';
import { SETTINGS, type Settings } from '../config/settings.js';
import { SigningKeys } from './keys/signing-keys.js';
import type { AccessClaims, ServiceClaims } from './token-use.js';

type Given<T> = Omit<T, 'iss' | 'iat' | 'exp' | 'jti' | 'token_use'>;

/** Signs JWTs with the current key; asynchronously, so that signing runs beside the event loop. */
@Injectable()
export class TokenSigner {
  constructor(
    private readonly keys: SigningKeys,
    private readonly clock: Clock,
    private readonly randomness: Randomness,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  /** @param lifetime seconds */
  signAccess(claims: Given<AccessClaims>, lifetime: number): Promise<string> {
    return this.sign('at+jwt', { ...claims, token_use: 'access' } as JWTPayload, lifetime);
  }

  /** @param lifetime seconds */
  signService(claims: Given<ServiceClaims>, lifetime: number): Promise<string> {
    return this.sign('at+jwt', { ...claims, token_use: 'service' } as JWTPayload, lifetime);
  }

  /** OpenID Connect Core section 2; `accessToken` gives `at_hash`. @param lifetime seconds */
  signId(
    claims: { sub: string; aud: string; nonce?: string; auth_time: number; amr: readonly string[] },
    accessToken: string,
    lifetime: number,
  ): Promise<string> {
    const half = createHash('sha256').update(accessToken).digest().subarray(0, 16).toString('base64url');
    return this.sign('JWT', { ...claims, amr: [...claims.amr], at_hash: half, token_use: 'id' }, lifetime);
  }

  private sign(typ: string, claims: JWTPayload, lifetime: number): Promise<string> {
    const key = this.keys.current();
    const now = this.clock.seconds();
    return new SignJWT({
      ...claims,
      iss: this.settings.baseUrl,
      iat: now,
      exp: now + lifetime,
      jti: this.randomness.uuid(),
    })
      .setProtectedHeader({ alg: 'RS256', kid: key.kid, typ })
      .sign(key.privateKey);
  }
}
