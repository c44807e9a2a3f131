import { Injectable } from '@nestjs/common';
import { message } from '../../../../common/i18n/message.js';
import { AuditService } from '../../../../audit/audit.service.js';
import { Clock } from '../../../../common/clock.js';
import type { RequestContext } from '../../../../common/request-context.js';
import { Transactions } from '../../../../database/transactions.js';
import { RateLimitsService } from '../../../../rate-limits/rate-limits.service.js';
import type { User } from '../../../../users/user.entity.js';
import { SecurityNotices } from '../../../../enrollment/notices/security-notices.service.js';
import { waitInWords } from '../../../../common/pages/durations.js';
import { lockSeconds } from '../stored/second-factor.rules.js';

/**
 * Locks the second factor after its attempts are used up: no code is accepted for some time, which doubles with each
 * lock. Otherwise five attempts per quarter of an hour would be hundreds a day without end.
 */
@Injectable()
export class SecondFactorLock {
  constructor(
    private readonly limits: RateLimitsService,
    private readonly notices: SecurityNotices,
    private readonly transactions: Transactions,
    private readonly audit: AuditService,
    private readonly clock: Clock,
  ) {}

  /** @param auditedApp the app, for the audit entry */
  async begin(
    ctx: RequestContext,
    user: User,
    auditedApp: { readonly appId: string; readonly tenantId: string } | null,
  ): Promise<void> {
    const longest = this.limits.rule('totp_lock').seconds;
    const locks = await this.limits.raise('totp_lock', user.id, (count) => this.seconds(count) + longest);
    const seconds = this.seconds(locks);
    await this.limits.shut('totp', user.id, seconds);
    await this.limits.clear('totp_failures', user.id);
    await this.transactions.run(async (tx) => {
      const entry = { ...auditedApp, userId: user.id, outcome: 'failure', metadata: { locks, seconds } } as const;
      await this.audit.record(tx, ctx, 'totp.locked', entry);
      // Sends one mail for consecutive locks, and none during a setup, because there is no factor yet that could be
      // guessed.
      if (locks > 1 || !user.totpEnabledAt) return;
      const model = {
        tries: this.limits.rule('totp').points,
        wait: waitInWords(seconds),
        when: this.clock.now().toUTCString(),
        ip: ctx.ip ?? message('mail.unknown_address'),
      };
      await this.notices.send(tx, user.id, 'second-factor-locked', model);
    });
  }

  /** Called after a correct code, or by an administrator. */
  async end(userId: string): Promise<void> {
    const labels = ['totp', 'totp_failures', 'totp_lock'] as const;
    await Promise.all(labels.map((label) => this.limits.clear(label, userId)));
  }

  private seconds(locks: number): number {
    return lockSeconds(locks, this.limits.rule('totp').seconds, this.limits.rule('totp_lock').seconds);
  }
}
