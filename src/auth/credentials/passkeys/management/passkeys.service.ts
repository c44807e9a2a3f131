import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Randomness } from '../../../../common/randomness.js';
import type { RequestContext } from '../../../../common/request-context.js';
import { isUuid } from '../../../../common/validation/fields.js';
import type { HeldProof } from '../../../../users/proof-guard.js';
import { UsersService } from '../../../../users/users.service.js';
import { PasskeyChanges, type RemovedBy } from '../stored/passkey-changes.service.js';
import { acceptsModel } from '../stored/passkey-models.rules.js';
import type { NewPasskey } from '../ceremonies/passkey-registration.service.js';
import type { Passkey } from '../stored/passkey.entity.js';
import { MAX_PASSKEYS_PER_USER } from '../stored/passkey.rules.js';
import { PasskeyModelNotAccepted, PasskeyNotFound, TooManyPasskeys } from '../stored/passkeys.errors.js';
import { PasskeysRepository } from '../stored/passkeys.repository.js';

/** The passkeys of users. Every change is audited and mailed to the user. */
@Injectable()
export class Passkeys {
  constructor(
    private readonly passkeys: PasskeysRepository,
    private readonly changes: PasskeyChanges,
    private readonly users: UsersService,
    private readonly randomness: Randomness,
  ) {}

  /** Oldest first, at most twenty. */
  listOf(userId: string, tx?: EntityManager): Promise<Passkey[]> {
    return this.passkeys.listOf(userId, tx);
  }

  /** Which of these users have at least one. */
  async ownersAmong(userIds: readonly string[]): Promise<ReadonlySet<string>> {
    return new Set(await this.passkeys.ownersAmong(userIds));
  }

  /** @throws PasskeyNotFound also for another user's */
  async get(userId: string, id: string, tx?: EntityManager): Promise<Passkey> {
    const passkey = isUuid(id) ? await this.passkeys.find(userId, id, tx) : null;
    if (!passkey) throw new PasskeyNotFound();
    return passkey;
  }

  /**
   * The held proof prevents that others add or remove passkeys of this user concurrently.
   * @throws PasskeyAlreadyAdded, PasskeyModelNotAccepted, TooManyPasskeys
   */
  async add(tx: EntityManager, held: HeldProof, ctx: RequestContext, made: NewPasskey): Promise<void> {
    if ((await this.passkeys.listOf(held.userId, tx)).length >= MAX_PASSKEYS_PER_USER) throw new TooManyPasskeys();
    const policies = await this.passkeys.listPolicies(held.userId, tx);
    if (!policies.every((policy) => acceptsModel(policy, made))) throw new PasskeyModelNotAccepted();
    const { isUserVerified: _, ...credential } = made;
    const passkey = { id: this.randomness.uuid(), userId: held.userIn(tx), name: null, ...credential };
    await this.passkeys.insert(tx, passkey);
    await this.changes.added(tx, ctx, passkey);
  }

  /** @param name cleaned @throws PasskeyNotFound */
  async rename(tx: EntityManager, ctx: RequestContext, userId: string, id: string, name: string): Promise<void> {
    const passkey = await this.get(userId, id, tx);
    if (passkey.name === name) return;
    if (!(await this.passkeys.rename(tx, passkey, name))) throw new PasskeyNotFound();
    await this.changes.renamed(tx, ctx, passkey);
  }

  /**
   * Ends the user's unfinished sign-ins, which may have used it. Sessions remain, and the account page lists them.
   * @throws PasskeyNotFound
   */
  async remove(
    tx: EntityManager,
    ctx: RequestContext,
    userId: string,
    id: string,
    by: Exclude<RemovedBy, 'mailbox'>,
  ): Promise<void> {
    await this.users.voidProofs(tx, userId);
    const passkey = await this.get(userId, id, tx);
    if (!(await this.passkeys.remove(tx, passkey))) throw new PasskeyNotFound();
    await this.changes.removed(tx, ctx, passkey, by);
  }
}
