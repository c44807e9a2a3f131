import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { RequestContext } from '../../common/request-context.js';
import type { User } from '../../users/user.entity.js';
import type { EmailChange } from './stored/email-change.entity.js';
import { EmailChangeNotices } from './email-change-notices.js';
import { EmailChangesRepository } from './stored/email-changes.repository.js';
import { MovedAddress } from './moved-address.js';

/** Undoes a change and all later ones. Everything happens in the caller's transaction. */
@Injectable()
export class UndoneChange {
  constructor(
    private readonly changes: EmailChangesRepository,
    private readonly address: MovedAddress,
    private readonly notices: EmailChangeNotices,
  ) {}

  /** Locks the user's row until the transaction ends. This decides the order of a confirmation and its undoing. */
  lock(tx: EntityManager, userId: string): Promise<User> {
    return this.address.lock(tx, userId);
  }

  /**
   * @param before from {@link lock}
   * @throws EmailTaken
   */
  async undo(tx: EntityManager, ctx: RequestContext, before: User, change: EmailChange): Promise<void> {
    await this.notices.stopped(tx, ctx, before, change);
    if (change.completedAt) await this.address.moveBack(tx, ctx, before.id, change.oldEmail);
    await this.changes.deleteFrom(tx, change);
  }

  /**
   * What the link of a notice stops or undoes. An intruder may have cancelled the requested change and made another one:
   * the link undoes the first one since, and with it all later ones. If the address has been lost otherwise, the link is
   * no longer valid.
   */
  async findByLink(tokenHash: Buffer, tx?: EntityManager): Promise<EmailChange | null> {
    const requested = await this.changes.findStoppable(tokenHash, tx);
    if (!requested || requested.completedAt) return requested;
    const { userId, oldEmail, createdAt } = requested;
    const made = await this.changes.findUndoable(userId, oldEmail, tx, createdAt);
    if (made) return made;
    return (await this.address.isAt(userId, oldEmail, tx)) ? requested : null;
  }

  /**
   * Whether the owner of an address may still decide about an account: the address is the account's, or a change away
   * from it can be undone.
   * @returns the oldest such change; `none`: the address is the account's, and there is nothing to undo; null: neither
   */
  async findFor(userId: string, email: string, tx?: EntityManager): Promise<EmailChange | 'none' | null> {
    const change = await this.changes.findUndoable(userId, email, tx);
    return change ?? ((await this.address.isAt(userId, email, tx)) ? 'none' : null);
  }
}
