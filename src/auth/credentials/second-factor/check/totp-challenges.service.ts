import { Inject, Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Randomness } from '../../../../common/randomness.js';
import { SETTINGS, type Settings } from '../../../../config/settings.js';
import { TokenSigner } from '../../../../tokens/jwt/token-signer.js';
import type { StepClaims, StepTokenUse } from '../../../../tokens/jwt/token-use.js';
import { TokenVerifier } from '../../../../tokens/jwt/token-verifier.js';
import type { HeldProof } from '../../../../users/proof-guard.js';
import { InvalidTotpSession } from '../stored/second-factor.errors.js';
import type { TotpChallenge } from './totp-challenge.entity.js';
import { TotpChallengesRepository } from './totp-challenges.repository.js';

const SESSION_SECONDS = 300;
const SETUP_SECONDS = 900;

/** The tokens of an unfinished sign-in: `totp_session`, and the `setup_token` of a user without a second factor. */
@Injectable()
export class TotpChallenges {
  constructor(
    private readonly challenges: TotpChallengesRepository,
    private readonly signer: TokenSigner,
    private readonly verifier: TokenVerifier,
    private readonly randomness: Randomness,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  /** @returns the totp_session: bound to user, app and device, valid for one sign-in */
  async begin(
    tx: EntityManager,
    held: HeldProof,
    facts: Pick<TotpChallenge, 'appId' | 'deviceId' | 'authTime' | 'amr' | 'beginsNoSession'>,
  ): Promise<string> {
    const id = this.randomness.uuid();
    await this.challenges.insert(tx, held, { ...facts, id }, SESSION_SECONDS);
    const claims = { sub: held.userId, client_id: facts.appId, jti: id };
    return this.signer.signStep('totp_session', claims, SESSION_SECONDS);
  }

  /** @throws InvalidTotpSession if it is invalid for any reason */
  async find(totpSession: string): Promise<TotpChallenge> {
    const claims = await this.read('totp_session', totpSession);
    const challenge = claims && (await this.challenges.findOpen(claims.jti));
    if (!challenge || challenge.userId !== claims.sub || challenge.appId !== claims.client_id)
      throw new InvalidTotpSession();
    return challenge;
  }

  /**
   * Called before every attempt, so that concurrent requests get no more of them than sequential ones.
   * @returns whether there was one left
   * @throws InvalidTotpSession if it has ended in the meantime
   */
  async takeTry({ id }: TotpChallenge): Promise<boolean> {
    if (await this.challenges.take(id)) return true;
    if (await this.challenges.findOpen(id)) return false;
    throw new InvalidTotpSession();
  }

  /** @throws InvalidTotpSession if another request was first */
  async consume(tx: EntityManager, challenge: TotpChallenge): Promise<void> {
    if (!(await this.challenges.consume(tx, challenge.id))) throw new InvalidTotpSession();
  }

  /** A bearer token only for setting up a second factor; invalid after a change of the account's credentials. */
  setupToken({ userId, credentialsVersion }: HeldProof, appId: string): Promise<string> {
    const jti = this.randomness.uuid();
    const claims = { sub: userId, client_id: appId, jti, credentials_version: credentialsVersion };
    return this.signer.signStep('totp_setup', claims, SETUP_SECONDS);
  }

  readSetupToken(token: string): Promise<StepClaims | null> {
    return this.read('totp_setup', token);
  }

  private async read(use: StepTokenUse, token: string): Promise<StepClaims | null> {
    const verification = await this.verifier.verify(token);
    if ('fault' in verification) return null;
    const { claims } = verification;
    return claims.token_use === use && claims.aud === this.settings.baseUrl ? (claims as StepClaims) : null;
  }

  /** Removes expired challenges. */
  purge(): Promise<void> {
    return this.challenges.purge();
  }
}
