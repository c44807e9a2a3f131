import { Injectable } from '@nestjs/common';
import type { RegisteredClient } from '../../../apps/directory/app-directory.js';
import { AuditService } from '../../../audit/audit.service.js';
import type { RequestContext } from '../../../common/request-context.js';
import { clientAddressKey } from '../../../rate-limits/client-address.js';
import { RateLimitsService } from '../../../rate-limits/rate-limits.service.js';
import type { User } from '../../../users/user.entity.js';
import { UsersService } from '../../../users/users.service.js';
import { UserLimits } from '../../session/known-browsers/user-limits.service.js';
import { CurrentPasswordIncorrect } from './own-password.errors.js';

/**
 * Checks the current password of a signed-in user. Wrong attempts count like those of a sign-in, for the network
 * address as well, because an app's server may have tokens of all its users.
 */
@Injectable()
export class CurrentPassword {
  constructor(
    private readonly users: UsersService,
    private readonly limits: UserLimits,
    private readonly networkLimits: RateLimitsService,
    private readonly audit: AuditService,
  ) {}

  /** Counts the attempt, see {@link forgive}. @throws RateLimited, CurrentPasswordIncorrect */
  async check(ctx: RequestContext, user: User, current: string, client: RegisteredClient | null): Promise<void> {
    await this.networkLimits.consume('login_ip', clientAddressKey(ctx.ip));
    await this.limits.consume(ctx, 'login_email', user.emailCanonical);
    if (!(await this.users.isPassword(user, current))) {
      await this.recordWrong(ctx, user, client);
      throw new CurrentPasswordIncorrect();
    }
  }

  /**
   * Called after the new password is accepted. Otherwise a refused new password would reveal for free that the current
   * one is correct.
   */
  async forgive(ctx: RequestContext, user: User): Promise<void> {
    await this.limits.forgive(ctx, 'login_email', user.emailCanonical);
  }

  private recordWrong(ctx: RequestContext, user: User, client: RegisteredClient | null): Promise<void> {
    return this.audit.recordAlone(ctx, 'user.password_changed', {
      userId: user.id,
      tenantId: client?.tenant.id,
      appId: client?.app.id,
      target: { type: 'user', id: user.id },
      outcome: 'failure',
      metadata: { by: 'owner', reason: 'current_password_incorrect' },
    });
  }
}
