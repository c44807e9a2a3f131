import { Injectable } from '@nestjs/common';
import { NewPasswordService } from '../../../auth/credentials/password/new-password.service.js';
import { PasswordPolicyService } from '../../../auth/credentials/password/password-policy.service.js';
import { AccountChanges } from '../../../enrollment/memberships/account-changes.js';
import type { RequestContext } from '../../../common/request-context.js';
import { RateLimitsService } from '../../../rate-limits/rate-limits.service.js';
import { UsersService } from '../../../users/users.service.js';
import { OwnPasswordElsewhere } from './credentials.errors.js';

/** Lets a platform admin set a user's password. As after a reset, all sessions and tokens of the user end. */
@Injectable()
export class PasswordByAdminService {
  constructor(
    private readonly users: UsersService,
    private readonly policy: PasswordPolicyService,
    private readonly passwords: NewPasswordService,
    private readonly limits: RateLimitsService,
    private readonly changes: AccountChanges,
  ) {}

  /** @throws UserNotFound, OwnPasswordElsewhere, and what {@link PasswordPolicyService.check} throws */
  async set(ctx: RequestContext, userId: string, password: string): Promise<void> {
    const { actor } = ctx;
    if (actor.type === 'user' && actor.userId === userId) throw new OwnPasswordElsewhere();
    const { email, emailCanonical, displayName } = await this.users.get(userId);
    const remark = await this.policy.check(password, { userId, email, displayName }, null);
    const passwordHash = await this.users.hashPassword(ctx, password);
    await this.changes.run(userId, async (tx) => {
      const user = await this.users.getForUpdate(tx, userId);
      await this.passwords.store(tx, ctx, { user, passwordHash, by: 'admin', remark, client: null });
    });
    await this.limits.clearUser('login_email', emailCanonical);
  }
}
