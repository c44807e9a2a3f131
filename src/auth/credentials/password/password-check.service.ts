import { Injectable } from '@nestjs/common';
import type { RegisteredClient } from '../../../apps/directory/app-directory.js';
import { AuditService } from '../../../audit/audit.service.js';
import type { RequestContext } from '../../../common/request-context.js';
import { foldedEmail, readEmail } from '../../../common/validation/email.rules.js';
import { clientAddressKey } from '../../../rate-limits/client-address.js';
import { RateLimitsService } from '../../../rate-limits/rate-limits.service.js';
import type { User } from '../../../users/user.entity.js';
import { UsersService } from '../../../users/users.service.js';
import { UserLimits } from '../../session/known-browsers/user-limits.service.js';
import { allowsMethod } from '../../entry/methods/allows-method.rules.js';
import { InvalidCredentials, PasswordLoginNotEnabled, PasswordNotConfirmed } from '../../entry/auth.errors.js';

/** Verifies a password for any route: one check, one pair of counters, one audit entry for a failure. */
@Injectable()
export class PasswordCheckService {
  constructor(
    private readonly users: UsersService,
    private readonly limits: RateLimitsService,
    private readonly userLimits: UserLimits,
    private readonly audit: AuditService,
  ) {}

  /** @throws PasswordLoginNotEnabled, RateLimited, InvalidCredentials */
  async check(ctx: RequestContext, { app }: RegisteredClient, email: string, password: string): Promise<User> {
    if (!allowsMethod(app, 'password')) throw new PasswordLoginNotEnabled();
    const key = readEmail(email)?.canonical ?? null;
    // One after the other: requests of a network over its limit must not use up the limits of accounts.
    await this.limits.consume('login_ip', clientAddressKey(ctx.ip));
    // A refused address belongs to no account, and must not count against the one that it looks like.
    if (key !== null) await this.userLimits.consume(ctx, 'login_email', key);
    const user = await this.users.findByPassword(email, password);
    if (user) {
      await this.userLimits.forgive(ctx, 'login_email', user.emailCanonical);
      return user;
    }
    await this.recordWrong(ctx, { tenantId: app.tenantId, appId: app.id }, foldedEmail(email));
    throw new InvalidCredentials();
  }

  /**
   * Asks a signed-in user for the password again before a change of sign-in methods. Counts and records like a sign-in
   * attempt.
   * @throws RateLimited, PasswordNotConfirmed
   */
  async confirm(ctx: RequestContext, user: User, password: string): Promise<void> {
    await this.limits.consume('login_ip', clientAddressKey(ctx.ip));
    await this.userLimits.consume(ctx, 'login_email', user.emailCanonical);
    if (!(await this.users.isPassword(user, password))) {
      await this.recordWrong(ctx, {}, user.emailCanonical);
      throw new PasswordNotConfirmed();
    }
    await this.userLimits.forgive(ctx, 'login_email', user.emailCanonical);
  }

  private recordWrong(
    ctx: RequestContext,
    auditScope: { readonly tenantId?: string; readonly appId?: string },
    email: string,
  ): Promise<void> {
    return this.audit.recordAlone(ctx, 'user.login_failed', {
      ...auditScope,
      outcome: 'failure',
      metadata: { reason: 'invalid_credentials', method: 'password', email: email.slice(0, 254) },
    });
  }
}
