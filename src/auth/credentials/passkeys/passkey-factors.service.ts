import { Inject, Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { SETTINGS, type Settings } from '../../../config/settings.js';
import type { Passkey } from './passkey.entity.js';
import { PasskeysRepository } from './passkeys.repository.js';
import { RelyingParty } from './relying-party.js';

/** Passkeys as a second factor, beside the authenticator app. */
@Injectable()
export class PasskeyFactors {
  constructor(
    private readonly passkeys: PasskeysRepository,
    private readonly party: RelyingParty,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  /** Those that a browser can use at this address. */
  async listUsable(userId: string, tx?: EntityManager): Promise<Passkey[]> {
    if (!this.party.isUsable) return [];
    return (await this.passkeys.listOf(userId, tx)).filter(({ rpId }) => rpId === this.party.id);
  }

  async has(userId: string, tx?: EntityManager): Promise<boolean> {
    return (await this.listUsable(userId, tx)).length > 0;
  }

  /**
   * Whether a user must show one before they change what they sign in with. So it is for those of whom any app demands
   * two factors: a stolen password could otherwise add a passkey of its own, and with it enter that app.
   */
  async guardsAccount(userId: string): Promise<boolean> {
    return this.party.isUsable && this.passkeys.isSecondFactor(userId, this.party.id, this.settings.requireAdmin2fa);
  }
}
