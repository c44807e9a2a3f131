import { Inject, Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { AuditService } from '../../audit/audit.service.js';
import { type Message, message } from '../../common/i18n/message.js';
import type { RequestContext } from '../../common/request-context.js';
import { SETTINGS, type Settings } from '../../config/settings.js';
import { AccountMails } from '../../enrollment/notices/account-mails.js';
import type { RevocationReason } from '../../users/revoked-with-user.js';
import type { User } from '../../users/user.entity.js';
import type { OwnDeletionVerdict } from './own-deletion.rules.js';

/** Why a deletion is cancelled, if the user did not do it. */
export type CancelReason = Exclude<OwnDeletionVerdict, 'ok'> | RevocationReason;

const RECOVERED = message('mail.account_deletion_cancelled.recovered');

const WHY: Readonly<Record<CancelReason, Message>> = {
  operator: message('mail.account_deletion_cancelled.operator'),
  suspended: message('mail.account_deletion_cancelled.suspended'),
  last_admin: message('mail.account_deletion_cancelled.last_admin'),
  not_allowed: message('mail.account_deletion_cancelled.not_allowed'),
  mailbox_proof: RECOVERED,
  password_reset: RECOVERED,
  password_set_by_admin: RECOVERED,
  second_factor_reset: RECOVERED,
  signed_out_everywhere: RECOVERED,
  email_change_stopped: RECOVERED,
  credential_stopped: RECOVERED,
};

/** Mails about a deletion, to verified addresses, and its audit entries. */
@Injectable()
export class DeletionNotices {
  constructor(
    private readonly mails: AccountMails,
    private readonly audit: AuditService,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  async requested(tx: EntityManager, ctx: RequestContext, user: User, due: Date): Promise<void> {
    await this.record(tx, ctx, 'user.deletion_requested', user.id, { due_at: due.toISOString() });
    const model = { ...this.waiting(due), ip: ctx.ip ?? message('mail.unknown_address') };
    await this.send(tx, user, { template: 'account-deletion-requested', holdsFor: null, model });
  }

  tomorrow(tx: EntityManager, user: User, due: Date): Promise<void> {
    return this.send(tx, user, { template: 'account-deletion-tomorrow', holdsFor: null, model: this.waiting(due) });
  }

  /** @param reason null: the user cancelled it */
  async cancelled(tx: EntityManager, ctx: RequestContext, user: User, reason: CancelReason | null): Promise<void> {
    await this.record(tx, ctx, 'user.deletion_cancelled', user.id, reason ? { reason } : {});
    await this.send(tx, user, {
      template: 'account-deletion-cancelled',
      holdsFor: null,
      model: { why: reason && WHY[reason] },
    });
  }

  /** The last mail. The caller deletes the account and records it. */
  done(tx: EntityManager, user: User): Promise<void> {
    return this.send(tx, user, { template: 'account-deleted', holdsFor: null, model: {} });
  }

  private waiting(due: Date) {
    return { due: due.toUTCString(), link: `${this.settings.baseUrl}/account/delete` };
  }

  private async send(tx: EntityManager, user: User, mail: Parameters<AccountMails['send']>[3]): Promise<void> {
    if (user.emailVerified) await this.mails.send(tx, user, null, mail, null);
  }

  private record(
    tx: EntityManager,
    ctx: RequestContext,
    action: 'user.deletion_requested' | 'user.deletion_cancelled',
    userId: string,
    metadata: Readonly<Record<string, unknown>>,
  ): Promise<void> {
    return this.audit.record(tx, ctx, action, { userId, target: { type: 'user', id: userId }, metadata });
  }
}
