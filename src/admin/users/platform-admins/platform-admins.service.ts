import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { AuditService } from '../../../audit/audit.service.js';
import { InsufficientPermissions } from '../../../common/http/http.refusals.js';
import type { RequestContext } from '../../../common/request-context.js';
import { Transactions } from '../../../database/transactions.js';
import { CannotRemoveYourself } from '../../../enrollment/enrollments/enrollment.errors.js';
import { EntryCache } from '../../../enrollment/memberships/entry-cache.js';
import type { User } from '../../../users/user.entity.js';
import { UsersService } from '../../../users/users.service.js';
import { NewAdminNotice } from './new-admin-notice.service.js';
import { LastPlatformAdmin, UserNotVerified } from './platform-admins.errors.js';
import { isStillAdmin, judgeLoss, type CurrentPlatformAdmin } from './platform-admin.rules.js';

/** The platform admins. At least one always exists: a change that removes one locks all of them first. */
@Injectable()
export class PlatformAdminsService {
  constructor(
    private readonly users: UsersService,
    private readonly notice: NewAdminNotice,
    private readonly entries: EntryCache,
    private readonly transactions: Transactions,
    private readonly audit: AuditService,
  ) {}

  /**
   * Promotes or demotes.
   * @throws InsufficientPermissions, UserNotFound, UserNotVerified, CannotRemoveYourself, LastPlatformAdmin
   */
  async toggle(ctx: RequestContext, userId: string): Promise<User> {
    const user = await this.transactions.run(async (tx) => {
      const admins = await this.lock(tx, ctx);
      const target = await this.users.getForUpdate(tx, userId);
      if (target.isPlatformAdmin) checkLoss(ctx, admins, userId);
      else if (!target.emailVerified) throw new UserNotVerified();
      await this.users.setPlatformAdmin(tx, userId, !target.isPlatformAdmin);
      await this.audit.record(tx, ctx, target.isPlatformAdmin ? 'user.demoted' : 'user.promoted', {
        userId,
        target: { type: 'user', id: userId },
      });
      if (!target.isPlatformAdmin) await this.notice.send(tx, ctx, target);
      return this.users.get(userId, tx);
    });
    this.entries.forget(userId);
    return user;
  }

  /**
   * Must be the first step of the transaction that deletes the user.
   * @throws InsufficientPermissions, UserNotFound, CannotRemoveYourself, LastPlatformAdmin
   */
  async lockForDeletion(tx: EntityManager, ctx: RequestContext, userId: string): Promise<User> {
    const admins = await this.lock(tx, ctx);
    const user = await this.users.getForUpdate(tx, userId);
    checkLoss(ctx, admins, userId);
    return user;
  }

  /**
   * Whether {@link toggle} or a deletion would succeed now. Takes no lock.
   * @throws UserNotFound, CannotRemoveYourself, LastPlatformAdmin
   */
  async checkRemoval(ctx: RequestContext, userId: string): Promise<User> {
    const user = await this.users.get(userId);
    checkLoss(ctx, await this.users.listPlatformAdmins(), userId);
    return user;
  }

  private async lock(tx: EntityManager, ctx: RequestContext): Promise<CurrentPlatformAdmin[]> {
    const admins = await this.users.lockPlatformAdmins(tx);
    if (!isStillAdmin(admins, callerOf(ctx))) throw new InsufficientPermissions();
    return admins;
  }
}

function checkLoss(ctx: RequestContext, admins: readonly CurrentPlatformAdmin[], userId: string): void {
  switch (judgeLoss(admins, callerOf(ctx), userId)) {
    case 'ok':
      return;
    case 'yourself':
      throw new CannotRemoveYourself();
    case 'last':
      throw new LastPlatformAdmin();
  }
}

function callerOf({ actor }: RequestContext): string | null {
  return actor.type === 'user' ? actor.userId : null;
}
