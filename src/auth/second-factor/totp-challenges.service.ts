import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Randomness } from '../../common/randomness.js';
import { TokenSigner } from '../../tokens/token-signer.js';
import { TokenVerifier } from '../../tokens/token-verifier.js';
import { InvalidTotpSession } from './second-factor.errors.js';
import type { TotpChallenge } from './totp-challenge.entity.js';
import { TotpChallengesRepository } from './totp-challenges.repository.js';

const SESSION_SECONDS = 300;
const SETUP_SECONDS = 900;

/** The tokens of a sign-in that is not finished: `totp_session`, and the `setup_token` of somebody without a factor. */
@Injectable()
export class TotpChallenges {
  constructor(
    private readonly challenges: TotpChallengesRepository,
    private readonly signer: TokenSigner,
    private readonly verifier: TokenVerifier,
    private readonly randomness: Randomness,
  ) {}

  /** @returns the totp_session: bound to user, app and device, good for one sign-in */
  async begin(facts: Pick<TotpChallenge, 'userId' | 'appId' | 'deviceId' | 'authTime' | 'amr'>): Promise<string> {
    const id = this.randomness.uuid();
    await this.challenges.insert({ ...facts, id }, SESSION_SECONDS);
    return this.signer.signStep('totp_session', { sub: facts.userId, aud: facts.appId, jti: id }, SESSION_SECONDS);
  }

  /** @throws InvalidTotpSession whatever is wrong with it */
  async find(totpSession: string): Promise<TotpChallenge> {
    const verification = await this.verifier.verify(totpSession);
    if ('fault' in verification || verification.claims.token_use !== 'totp_session') throw new InvalidTotpSession();
    const { sub, aud, jti } = verification.claims;
    const challenge = await this.challenges.findLive(jti);
    if (!challenge || challenge.userId !== sub || challenge.appId !== aud) throw new InvalidTotpSession();
    return challenge;
  }

  /** @throws InvalidTotpSession where another request was faster */
  async consume(tx: EntityManager, challenge: TotpChallenge): Promise<void> {
    if (!(await this.challenges.consume(tx, challenge.id))) throw new InvalidTotpSession();
  }

  countFailure(challenge: TotpChallenge): Promise<void> {
    return this.challenges.countFailure(challenge.id);
  }

  /** A bearer for setting up a second factor and nothing else. */
  setupToken(userId: string, appId: string): Promise<string> {
    const jti = this.randomness.uuid();
    return this.signer.signStep('totp_setup', { sub: userId, aud: appId, jti }, SETUP_SECONDS);
  }
}
