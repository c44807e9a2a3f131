import { Injectable } from '@nestjs/common';
import { message } from '../../../../common/i18n/message.js';
import { AuditService } from '../../../../audit/audit.service.js';
import { Clock } from '../../../../common/clock.js';
import type { RequestContext } from '../../../../common/request-context.js';
import { Transactions } from '../../../../database/transactions.js';
import { RateLimitsService } from '../../../../rate-limits/rate-limits.service.js';
import type { User } from '../../../../users/user.entity.js';
import { SecurityNotices } from '../../../../enrollment/notices/security-notices.service.js';
import { waitInWords } from '../../../../common/pages/waiting-words.js';
import { lockSeconds } from '../stored/second-factor.rules.js';

/**
 * What follows when a user has used up the tries of a second factor: no code is accepted for a while, and each time twice
 * as long, or five tries a quarter of an hour would be hundreds a day for ever.
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

  /** @param place at which app, for the audit entry */
  async begin(
    ctx: RequestContext,
    user: User,
    place: { readonly appId: string; readonly tenantId: string } | null,
  ): Promise<void> {
    const longest = this.limits.rule('totp_lock').seconds;
    const locks = await this.limits.raise('totp_lock', user.id, (count) => this.seconds(count) + longest);
    const seconds = this.seconds(locks);
    await this.limits.shut('totp', user.id, seconds);
    await this.transactions.run(async (tx) => {
      const entry = { ...place, userId: user.id, outcome: 'failure', metadata: { locks, seconds } } as const;
      await this.audit.record(tx, ctx, 'totp.locked', entry);
      // Once in a row of them, and not during a set-up: there is nothing yet that could be guessed.
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

  /** After a right code, or by an administrator. */
  async end(userId: string): Promise<void> {
    await Promise.all([this.limits.clear('totp', userId), this.limits.clear('totp_lock', userId)]);
  }

  private seconds(locks: number): number {
    return lockSeconds(locks, this.limits.rule('totp').seconds, this.limits.rule('totp_lock').seconds);
  }
}
