import { Inject, Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { offeredProviders, PROVIDERS } from '../../../../config/provider-settings.js';
import { SETTINGS, type Settings } from '../../../../config/settings.js';
import type { User } from '../../../../users/user.entity.js';
import { acceptsModel, type PasskeyPolicy } from '../stored/passkey-models.rules.js';
import { PasskeyOffers } from './passkey-offers.service.js';
import type { Passkey } from '../stored/passkey.entity.js';
import { PasskeysRepository } from '../stored/passkeys.repository.js';
import { RelyingParty } from '../ceremonies/relying-party.js';

const EVERY_MODEL: PasskeyPolicy = { passkeyAaguids: null };

/** Passkeys as a second factor, beside the authenticator app. */
@Injectable()
export class PasskeyFactors {
  constructor(
    private readonly passkeys: PasskeysRepository,
    private readonly party: RelyingParty,
    private readonly offers: PasskeyOffers,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  /** Passkeys that a browser can use at this address, and that the tenant accepts. */
  async listUsable(userId: string, tenant: PasskeyPolicy, tx?: EntityManager): Promise<Passkey[]> {
    if (!this.party.isUsable) return [];
    const passkeys = await this.passkeys.listOf(userId, tx);
    return passkeys.filter((passkey) => passkey.rpId === this.party.id && acceptsModel(tenant, passkey));
  }

  /** Whether the user has such a passkey: see {@link listUsable}. */
  async has(userId: string, tenant: PasskeyPolicy, tx?: EntityManager): Promise<boolean> {
    return (await this.listUsable(userId, tenant, tx)).length > 0;
  }

  /** One that a browser can use at this address, whether it counts at a tenant or not. */
  hasAny(userId: string, tx?: EntityManager): Promise<boolean> {
    return this.has(userId, EVERY_MODEL, tx);
  }

  /**
   * Passkeys that a sign-in at the tenant asks for as a second factor. If the tenant accepts none of them, and there is
   * no authenticator app, they are asked for only to protect the account: then all of them are listed.
   */
  async listForSecondFactor(
    { id, totpEnabledAt }: Pick<User, 'id' | 'totpEnabledAt'>,
    tenant: PasskeyPolicy,
  ): Promise<Passkey[]> {
    const counting = await this.listUsable(id, tenant);
    return counting.length > 0 || totpEnabledAt !== null ? counting : this.listUsable(id, EVERY_MODEL);
  }

  /** Whether the user has a password, or an account at a provider that the installation offers. */
  hasOtherCredentials(userId: string, tx?: EntityManager): Promise<boolean> {
    return this.passkeys.hasOtherCredentials(userId, offeredProviders(this.settings.providers, PROVIDERS), tx);
  }

  isOfferDue(userId: string): Promise<boolean> {
    return this.offers.isDue(userId);
  }

  /**
   * Whether a user must use a passkey before they change sign-in methods. This applies if any of their apps requires
   * two factors, or accepts only passkeys: otherwise an attacker with a stolen password could add a passkey
   * and enter that app with it.
   */
  async guardsAccount(userId: string, tx?: EntityManager): Promise<boolean> {
    const { requireAdmin2fa } = this.settings;
    return this.party.isUsable && this.passkeys.isSecondFactor(userId, this.party.id, requireAdmin2fa, tx);
  }
}
