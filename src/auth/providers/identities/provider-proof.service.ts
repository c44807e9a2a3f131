import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Clock } from '../../../common/clock.js';
import type { User } from '../../../users/user.entity.js';
import { PasskeyFactors } from '../../credentials/passkeys/offers/passkey-factors.service.js';
import { amrOfProvider } from '../../entry/recent-proof.rules.js';
import type { ExternalIdentity } from '../linked/external-identity.js';

const EVERY_MODEL = { passkeyAaguids: null };

/** Determines the `amr` of a sign-in at a provider. */
@Injectable()
export class ProviderProof {
  constructor(
    private readonly passkeys: PasskeyFactors,
    private readonly clock: Clock,
  ) {}

  async amrOf(tx: EntityManager, { provider, askedAt }: ExternalIdentity, user: User): Promise<string[]> {
    const hasOwn = user.passwordHash !== null || (await this.passkeys.has(user.id, EVERY_MODEL, tx));
    return amrOfProvider(provider, askedAt, hasOwn, this.clock.now());
  }
}
