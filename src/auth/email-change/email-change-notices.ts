import { Inject, Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Clock } from '../../common/clock.js';
import { message } from '../../common/i18n/message.js';
import type { RequestContext } from '../../common/request-context.js';
import type { AuditAction } from '../../audit/entries/audit-action.js';
import { AuditService } from '../../audit/audit.service.js';
import { SETTINGS, type Settings } from '../../config/settings.js';
import { AccountMails } from '../../enrollment/notices/account-mails.js';
import { STOP_DAYS } from '../credentials/notices/stop-window.rules.js';
import type { User } from '../../users/user.entity.js';
import type { EmailChange } from './stored/email-change.entity.js';

/** Page that the link in a notice opens. Opening it stops nothing, because mail scanners follow links. */
const STOP_PATH = '/email-change';

/** A requested change. */
interface RequestedChange {
  readonly newEmail: string;
  readonly code: string;
  readonly codeSeconds: number;
  /** False if the limit of codes for the address is reached. */
  readonly mayMail: boolean;
}

/**
 * Audit entries and mails of a change: the code to the new address, and notices to the address that the account loses.
 */
@Injectable()
export class EmailChangeNotices {
  constructor(
    private readonly mails: AccountMails,
    private readonly audit: AuditService,
    private readonly clock: Clock,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  /**
   * @param stopToken token of the link in the notice to the current address; null: that address is not verified, and
   *   gets no notice
   */
  async requested(
    tx: EntityManager,
    ctx: RequestContext,
    user: User,
    { newEmail, code, codeSeconds, mayMail }: RequestedChange,
    stopToken: string | null,
  ): Promise<void> {
    await this.record(tx, ctx, 'user.email_change_requested', user.id, { from: user.email, to: newEmail });
    if (mayMail) {
      // Contains nothing about the account, because the mailbox may belong to another person.
      const holdsFor = message('common.wait.minutes', { count: codeSeconds / 60 });
      const mail = { template: 'email-change-code', holdsFor, model: { code } } as const;
      await this.mails.send(tx, { id: user.id, locale: user.locale, email: newEmail }, null, mail, codeSeconds);
    }
    if (stopToken) await this.sendStoppable(tx, ctx, 'email-change-requested', user, newEmail, stopToken);
  }

  /**
   * @param before the user with the old address
   * @param undoToken token of the link in the notice to the old address; null: as for {@link requested}
   */
  async changed(
    tx: EntityManager,
    ctx: RequestContext,
    before: User,
    newEmail: string,
    undoToken: string | null,
  ): Promise<void> {
    await this.record(tx, ctx, 'user.email_changed', before.id, { from: before.email, to: newEmail });
    if (undoToken) await this.sendStoppable(tx, ctx, 'email-changed', before, newEmail, undoToken);
  }

  /** Records a wrong code; sends no mail. */
  async refused(tx: EntityManager, ctx: RequestContext, userId: string): Promise<void> {
    const target = { type: 'user', id: userId };
    await this.audit.record(tx, ctx, 'user.email_change_failed', { userId, target, outcome: 'failure' });
  }

  async cancelled(tx: EntityManager, ctx: RequestContext, userId: string): Promise<void> {
    await this.record(tx, ctx, 'user.email_change_cancelled', userId, {});
  }

  /**
   * If the change is undone, the notice is sent to the address that the account loses again. A change that was not
   * completed causes no notice.
   */
  async stopped(tx: EntityManager, ctx: RequestContext, before: User, change: EmailChange): Promise<void> {
    const undone = change.completedAt !== null;
    const metadata = { from: change.newEmail, to: change.oldEmail, undone };
    await this.record(tx, ctx, 'user.email_change_stopped', before.id, metadata);
    const mail = { template: 'email-change-undone', holdsFor: null, model: this.facts(ctx) } as const;
    if (undone) await this.mails.send(tx, before, null, mail, null);
  }

  private async sendStoppable(
    tx: EntityManager,
    ctx: RequestContext,
    template: 'email-change-requested' | 'email-changed',
    to: User,
    newEmail: string,
    token: string,
  ): Promise<void> {
    const link = `${this.settings.baseUrl}${STOP_PATH}?token=${token}`;
    const holdsFor = message('common.wait.days', { count: STOP_DAYS });
    const model = { ...this.facts(ctx), newEmail, link };
    await this.mails.send(tx, to, null, { template, holdsFor, model }, null);
  }

  private record(
    tx: EntityManager,
    ctx: RequestContext,
    action: AuditAction,
    userId: string,
    metadata: Readonly<Record<string, unknown>>,
  ): Promise<void> {
    return this.audit.record(tx, ctx, action, { userId, target: { type: 'user', id: userId }, metadata });
  }

  private facts(ctx: RequestContext) {
    return { when: this.clock.now().toUTCString(), ip: ctx.ip ?? message('mail.unknown_address') };
  }
}
