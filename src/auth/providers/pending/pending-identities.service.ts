import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Randomness } from '../../../common/randomness.js';
import { hashOpaqueToken, newOpaqueToken } from '../../../crypto/opaque-token.js';
import type { ExternalIdentity } from '../linked/external-identity.js';
import type { PendingIdentity } from './pending-identity.entity.js';
import { PendingIdentitiesRepository } from './pending-identities.repository.js';

/** 15 minutes (docs/conventions.md, section 4). */
const SECONDS = 900;
const TOKEN = /^oat_[\w-]{43}$/;
/** The prefix identifies the kind of the token, so that no token of another kind is accepted. */
const PREFIX = 'oat_';

/**
 * Pending identities and their `oauth_token`: opaque, valid for 15 minutes and one use, only in the browser it was
 * issued to, and only to accept an invite.
 */
@Injectable()
export class PendingIdentities {
  constructor(
    private readonly identities: PendingIdentitiesRepository,
    private readonly randomness: Randomness,
  ) {}

  /**
   * @param identity must have an e-mail address
   * @returns the `oauth_token`
   */
  async keep(identity: ExternalIdentity, attemptId: string, browserHash: Buffer): Promise<string> {
    const token = `${PREFIX}${newOpaqueToken(this.randomness).token}`;
    const { provider, subject, emailVerified, displayName } = identity;
    const row = { provider, subject, email: identity.email!, emailVerified, displayName };
    await this.identities.insert({ ...row, tokenHash: hashOpaqueToken(token), attemptId, browserHash }, SECONDS);
    return token;
  }

  /** Does not use up the token. */
  find(token: string, browserHashes: readonly Buffer[]): Promise<PendingIdentity | null> {
    return TOKEN.test(token) ? this.identities.find(hashOpaqueToken(token), browserHashes) : Promise.resolve(null);
  }

  /**
   * Uses up the token: of concurrent requests, only one gets the identity. It remains valid if the transaction fails.
   */
  consume(tx: EntityManager, token: string, browserHashes: readonly Buffer[]): Promise<PendingIdentity | null> {
    return TOKEN.test(token)
      ? this.identities.consume(tx, hashOpaqueToken(token), browserHashes)
      : Promise.resolve(null);
  }
}
