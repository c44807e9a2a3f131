import { Inject, Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { AuditService } from '../../audit/audit.service.js';
import { Clock } from '../../common/clock.js';
import { message } from '../../common/i18n/message.js';
import type { RequestContext } from '../../common/request-context.js';
import { SETTINGS, type Settings } from '../../config/settings.js';
import { AccountMails } from '../../enrollment/notices/account-mails.js';
import type { User } from '../../users/user.entity.js';
import { COMPLETE_DAYS } from './passkey-recovery.rules.js';

/** Page that the link in the notice opens. Opening it stops nothing, because mail scanners follow links. */
const STOP_PATH = '/passkey-recovery';

/** Audit entries about lost passkeys, and the notice that is mailed when a recovery begins. */
@Injectable()
export class PasskeyRecoveryNotices {
  constructor(
    private readonly mails: AccountMails,
    private readonly audit: AuditService,
    private readonly clock: Clock,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  async requested(tx: EntityManager, ctx: RequestContext, user: User, stopToken: string, days: number): Promise<void> {
    await this.record(tx, ctx, 'passkey.recovery_requested', user.id, { days });
    const model = {
      days,
      link: `${this.settings.baseUrl}${STOP_PATH}?token=${stopToken}`,
      when: this.clock.now().toUTCString(),
      ip: ctx.ip ?? message('mail.unknown_address'),
    };
    const holdsFor = message('common.wait.days', { count: days + COMPLETE_DAYS });
    await this.mails.send(tx, user, null, { template: 'passkey-recovery', holdsFor, model }, null);
  }

  /**
   * @param by `mail`: by the link in the notice; `owner`: on the account page; otherwise the reason why all sessions
   *   and tokens of the user ended
   */
  stopped(tx: EntityManager, ctx: RequestContext, userId: string, by: string): Promise<void> {
    return this.record(tx, ctx, 'passkey.recovery_stopped', userId, { by });
  }

  private record(
    tx: EntityManager,
    ctx: RequestContext,
    action: 'passkey.recovery_requested' | 'passkey.recovery_stopped',
    userId: string,
    metadata: Readonly<Record<string, unknown>>,
  ): Promise<void> {
    return this.audit.record(tx, ctx, action, { userId, target: { type: 'user', id: userId }, metadata });
  }
}
