import { Injectable } from '@nestjs/common';
import { MailLinksService } from '../../../auth/email-links/mail-links.service.js';
import { PasswordPolicyService } from '../../../auth/credentials/password/password-policy.service.js';
import type { RequestContext } from '../../../common/request-context.js';
import { Transactions } from '../../../database/transactions.js';
import type { User } from '../../../users/user.entity.js';
import { UsersService } from '../../../users/users.service.js';
import { AccountsByAdmin } from './accounts-by-admin.js';

/** Creates a platform admin from the command line, whether or not other admins exist. */
@Injectable()
export class AdminCreationService {
  constructor(
    private readonly users: UsersService,
    private readonly policy: PasswordPolicyService,
    private readonly accounts: AccountsByAdmin,
    private readonly links: MailLinksService,
    private readonly transactions: Transactions,
  ) {}

  /**
   * @param password null: the answer contains a link to choose one
   * @throws UserAlreadyExists, and what {@link PasswordPolicyService.check} throws
   */
  async create(
    ctx: RequestContext,
    email: string,
    password: string | null,
  ): Promise<{ user: User; link: string | null }> {
    const remark =
      password === null
        ? {}
        : await this.policy.check(
            password,
            { userId: null, email, displayName: null, becomesPlatformAdmin: true },
            null,
          );
    const passwordHash = password === null ? null : await this.users.hashPassword(ctx, password);
    return this.transactions.run(async (tx) => {
      const rights = { emailVerified: true, isPlatformAdmin: true, setBy: 'other' } as const;
      const fields = { email, displayName: 'Administrator', passwordHash, ...rights };
      const user = await this.accounts.create(tx, ctx, fields, null, { ...remark });
      const link = passwordHash === null ? await this.links.make(tx, 'reset_password', user, null) : null;
      return { user, link };
    });
  }
}
