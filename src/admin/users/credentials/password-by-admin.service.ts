import { Injectable } from '@nestjs/common';
import { NewPasswordService } from '../../../auth/credentials/password/new-password.service.js';
import { AccountChanges } from '../../../enrollment/memberships/account-changes.js';
import type { RequestContext } from '../../../common/request-context.js';
import { RateLimitsService } from '../../../rate-limits/rate-limits.service.js';
import { UsersService } from '../../../users/users.service.js';
import { OwnPasswordElsewhere } from './credentials.errors.js';
import { OperatorPasswords } from './operator-passwords.js';

/** Lets a platform admin set a user's password. As after a reset, all sessions and tokens of the user end. */
@Injectable()
export class PasswordByAdminService {
  constructor(
    private readonly users: UsersService,
    private readonly given: OperatorPasswords,
    private readonly passwords: NewPasswordService,
    private readonly limits: RateLimitsService,
    private readonly changes: AccountChanges,
  ) {}

  /** @throws UserNotFound, OwnPasswordElsewhere, and what {@link OperatorPasswords.judge} throws */
  async set(ctx: RequestContext, userId: string, password: string): Promise<void> {
    const { actor } = ctx;
    if (actor.type === 'user' && actor.userId === userId) throw new OwnPasswordElsewhere();
    const { email, emailCanonical, displayName } = await this.users.get(userId);
    const about = { userId, email, displayName };
    const hash = await this.given.judge(ctx, password, about, null);
    const { passwordHash, remark } = await hash();
    await this.changes.run(userId, async (tx) => {
      const user = await this.users.getForUpdate(tx, userId);
      await this.passwords.store(tx, ctx, { user, passwordHash, by: 'admin', remark, client: null });
    });
    await this.limits.clearUser('login_email', emailCanonical);
  }
}
