import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Randomness } from '../../../common/randomness.js';
import { hashOpaqueToken, newOpaqueToken } from '../../../crypto/opaque-token.js';
import type { ExternalIdentity } from '../linked/external-identity.js';
import type { PendingIdentity } from './pending-identity.entity.js';
import { PendingIdentitiesRepository } from './pending-identities.repository.js';

/** A quarter of an hour (docs/conventions.md, section 4). */
const SECONDS = 900;
const TOKEN = /^oat_[\w-]{43}$/;
/** Names the kind, so that no token of another kind is accepted. */
const PREFIX = 'oat_';

/** `oauth_token`: opaque, fifteen minutes, one use, in the browser it was made for, only to accept an invite. */
@Injectable()
export class PendingIdentities {
  constructor(
    private readonly identities: PendingIdentitiesRepository,
    private readonly randomness: Randomness,
  ) {}

  /** @param identity one with an address */
  async keep(identity: ExternalIdentity, attemptId: string, browserHash: Buffer): Promise<string> {
    const token = `${PREFIX}${newOpaqueToken(this.randomness).token}`;
    const { provider, subject, emailVerified, displayName } = identity;
    const row = { provider, subject, email: identity.email!, emailVerified, displayName };
    await this.identities.insert({ ...row, tokenHash: hashOpaqueToken(token), attemptId, browserHash }, SECONDS);
    return token;
  }

  /** Uses nothing up. */
  find(token: string, browserHashes: readonly Buffer[]): Promise<PendingIdentity | null> {
    return TOKEN.test(token) ? this.identities.find(hashOpaqueToken(token), browserHashes) : Promise.resolve(null);
  }

  /** Of any number of requests at once, one gets it; it stays usable if the transaction fails. */
  consume(tx: EntityManager, token: string, browserHashes: readonly Buffer[]): Promise<PendingIdentity | null> {
    return TOKEN.test(token)
      ? this.identities.consume(tx, hashOpaqueToken(token), browserHashes)
      : Promise.resolve(null);
  }
}
