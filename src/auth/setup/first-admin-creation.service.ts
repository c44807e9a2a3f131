import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { RequestContext } from '../../common/request-context.js';
import { Transactions } from '../../database/transactions.js';
import type { User } from '../../users/user.entity.js';
import { UsersService } from '../../users/users.service.js';
import type { PasswordOwner, PasswordRemark } from '../credentials/password/password-policy.service.js';
import { NewAccounts } from '../registration/new-accounts.service.js';
import { FirstAdminRepository } from './first-admin.repository.js';

export interface PreparedAdmin {
  readonly email: string;
  readonly displayName: string;
  readonly passwordHash: string;
  readonly remark: PasswordRemark;
}

/** Creates the account of the first platform admin if there is none yet, which is decided under a lock. */
@Injectable()
export class FirstAdminCreation {
  constructor(
    private readonly links: FirstAdminRepository,
    private readonly users: UsersService,
    private readonly accounts: NewAccounts,
    private readonly transactions: Transactions,
  ) {}

  /**
   * @param claim uses up the permission, in the same transaction; returns false if there is none
   * @param finish the rest of the work in the same transaction
   * @returns null if there is already an admin, or `claim` returned false
   * @throws UserAlreadyExists
   */
  create<T>(
    ctx: RequestContext,
    { remark, ...admin }: PreparedAdmin,
    claim: (tx: EntityManager) => Promise<boolean>,
    finish: (tx: EntityManager, user: User) => Promise<T>,
  ): Promise<T | null> {
    return this.transactions.run(async (tx) => {
      await this.links.lock(tx);
      if (await this.users.platformAdminExists(tx)) return null;
      if (!(await claim(tx))) return null;
      const account = { ...admin, emailVerified: true, isPlatformAdmin: true, setBy: 'owner' } as const;
      const metadata = { first_admin: true, ...remark };
      return finish(tx, await this.accounts.create(tx, account, { as: () => ctx, app: null, metadata }));
    });
  }
}

/** The owner of the password, for the password policy. */
export function newAdmin(email: string, displayName: string | null): PasswordOwner {
  return { userId: null, email, displayName, becomesPlatformAdmin: true };
}
