import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { App } from '../../apps/app/app.entity.js';
import { AppsService } from '../../apps/directory/apps.service.js';
import type { RegisteredClient } from '../../apps/directory/app-directory.js';
import type { RequestContext } from '../../common/request-context.js';
import { Transactions } from '../../database/transactions.js';
import { EnrollmentService } from '../../enrollment/memberships/enrollment.service.js';
import type { User } from '../../users/user.entity.js';
import { UserAlreadyExists } from '../../users/users.errors.js';
import { AccountAlreadyExists, InviteCodeRequired } from '../entry/auth.errors.js';
import { actingAs } from '../entry/entry.service.js';
import { AccountRegistration, type SignUp } from './account-registration.service.js';

/** Creates an account at an open app (enrolled at once) or at an app with approval (enrolled as pending). */
@Injectable()
export class SignUpService {
  constructor(
    private readonly registration: AccountRegistration,
    private readonly enrollment: EnrollmentService,
    private readonly apps: AppsService,
    private readonly transactions: Transactions,
  ) {}

  /**
   * Creates the account, the enrollment and the verification mail, and runs `alongside`, in one transaction.
   * @throws InviteCodeRequired, PasswordLoginNotEnabled, PasswordRefused, AccountAlreadyExists, RateLimited
   */
  async signUp<T>(
    ctx: RequestContext,
    client: RegisteredClient,
    input: SignUp,
    alongside: (tx: EntityManager, user: User, status: 'active' | 'pending') => Promise<T>,
  ): Promise<{ user: User; status: 'active' | 'pending'; made: T }> {
    await this.registration.count(ctx);
    statusAt(client.app);
    try {
      const prepared = await this.registration.prepare(ctx, client, input);
      return await this.transactions.run(async (tx) => {
        const user = await this.registration.create(tx, ctx, client, prepared, 'sign_up');
        // Read again: while the password waited to be hashed, the app may have closed, or have other roles.
        const app = await this.apps.get(client.app.id, tx);
        const status = statusAt(app);
        const roles = app.config.auto_assign_roles;
        const enrolled = { userId: user.id, app, roles, status, joinsThemselves: true } as const;
        await this.enrollment.enroll(tx, actingAs(ctx, user, client), enrolled);
        await this.registration.settleAddress(tx, ctx, client, user, false);
        return { user, status, made: await alongside(tx, user, status) };
      });
    } catch (error) {
      // From `prepare`, or from the unique constraint if two sign-ups are concurrent.
      if (error instanceof UserAlreadyExists) throw new AccountAlreadyExists();
      throw error;
    }
  }
}

/** @throws InviteCodeRequired */
function statusAt({ registrationPolicy, isConsoleApp }: App): 'active' | 'pending' {
  if (registrationPolicy === 'invite' || isConsoleApp) throw new InviteCodeRequired();
  return registrationPolicy === 'open' ? 'active' : 'pending';
}
