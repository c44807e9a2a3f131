import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { App } from '../../../apps/app/app.entity.js';
import { NewAccounts } from '../../../auth/registration/new-accounts.service.js';
import type { RequestContext } from '../../../common/request-context.js';
import type { User } from '../../../users/user.entity.js';
import type { NewUser } from '../../../users/users.service.js';
import { NewAdminNotice } from './new-admin-notice.service.js';

/** Creates an account for an administrator. If it is a platform admin, the other platform admins are notified. */
@Injectable()
export class AccountsByAdmin {
  constructor(
    private readonly accounts: NewAccounts,
    private readonly notice: NewAdminNotice,
  ) {}

  /**
   * @param app in which the account will be enrolled
   * @throws UserAlreadyExists
   */
  async create(
    tx: EntityManager,
    ctx: RequestContext,
    account: NewUser,
    app: App | null,
    metadata: Readonly<Record<string, unknown>>,
  ): Promise<User> {
    const user = await this.accounts.create(tx, account, {
      as: () => ctx,
      app,
      metadata: { is_platform_admin: account.isPlatformAdmin, ...metadata },
    });
    if (user.isPlatformAdmin) await this.notice.send(tx, ctx, user);
    return user;
  }
}
