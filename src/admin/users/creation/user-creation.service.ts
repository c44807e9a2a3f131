import { Injectable } from '@nestjs/common';
import { authorityOf } from '../../../common/actor.js';
import { InsufficientPermissions } from '../../../common/http/http.refusals.js';
import type { RequestContext } from '../../../common/request-context.js';
import { Transactions } from '../../../database/transactions.js';
import type { User } from '../../../users/user.entity.js';
import { AccountsByAdmin } from '../platform-admins/accounts-by-admin.js';
import { NewUserPassword } from './new-user-password.js';
import { NewUserEnrollment } from './new-user-enrollment.js';
import type { UserCreate } from './user.dto.js';

/** Creates an account with its first roles, in one transaction. */
@Injectable()
export class UserCreationService {
  constructor(
    private readonly password: NewUserPassword,
    private readonly accounts: AccountsByAdmin,
    private readonly newEnrollment: NewUserEnrollment,
    private readonly transactions: Transactions,
  ) {}

  /** @throws UserAlreadyExists, PasswordRefused, InsufficientPermissions, AppNotFound, InvalidInput */
  async create(ctx: RequestContext, input: UserCreate): Promise<User> {
    const { actor } = ctx;
    const platform = authorityOf(actor).platform;
    if (input.is_platform_admin !== undefined && !platform) throw new InsufficientPermissions();
    const app = await this.newEnrollment.appToEnrollIn(ctx, input);
    const { passwordHash, remark } = await this.password.hash(ctx, input, app);
    return this.transactions.run(async (tx) => {
      const fields = {
        email: input.email,
        displayName: input.display_name,
        passwordHash,
        emailVerified: platform && input.email_verified !== false,
        isPlatformAdmin: input.is_platform_admin ?? false,
        setBy: 'other' as const,
      };
      const user = await this.accounts.create(tx, ctx, fields, app, { ...remark });
      if (app) await this.newEnrollment.enroll(tx, ctx, user, app, input.roles);
      return user;
    });
  }
}
