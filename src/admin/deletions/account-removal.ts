import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { RequestContext } from '../../common/request-context.js';
import { LogoutNotices } from '../../tokens/logout/logout-notices.service.js';
import type { User } from '../../users/user.entity.js';
import { UsersService } from '../../users/users.service.js';
import { DeletionRecords } from './deletion-records.js';

/** What the deletion of an account does, by an administrator or its owner. Everything happens in the caller's transaction. */
@Injectable()
export class AccountRemoval {
  constructor(
    private readonly users: UsersService,
    private readonly records: DeletionRecords,
    private readonly notices: LogoutNotices,
  ) {}

  /** @throws UserNotFound */
  lock(tx: EntityManager, userId: string): Promise<User> {
    return this.users.getForUpdate(tx, userId);
  }

  /** With everything that is theirs; what the audit log says of them stays. */
  async remove(tx: EntityManager, ctx: RequestContext, user: User, by: 'owner' | null = null): Promise<void> {
    await this.records.write(tx, ctx, user, by);
    await this.notices.enqueueForAllApps(tx, user.id);
    await this.users.delete(tx, user.id);
  }
}
