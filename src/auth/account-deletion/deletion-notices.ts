import { Inject, Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { AuditService } from '../../audit/audit.service.js';
import type { RequestContext } from '../../common/request-context.js';
import { SETTINGS, type Settings } from '../../config/settings.js';
import { AccountMails } from '../../enrollment/account-mails.js';
import type { User } from '../../users/user.entity.js';

type Kind = 'account-deletion-requested' | 'account-deletion-tomorrow';

/** What a deletion is told by: mails to a verified address, and audit entries. */
@Injectable()
export class DeletionNotices {
  constructor(
    private readonly mails: AccountMails,
    private readonly audit: AuditService,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  async requested(tx: EntityManager, ctx: RequestContext, user: User, due: Date): Promise<void> {
    await this.record(tx, ctx, 'user.deletion_requested', user.id, { due_at: due.toISOString() });
    await this.waiting(tx, user, 'account-deletion-requested', due);
  }

  tomorrow(tx: EntityManager, user: User, due: Date): Promise<void> {
    return this.waiting(tx, user, 'account-deletion-tomorrow', due);
  }

  /** @param reason why, where the user did not decide it */
  async cancelled(tx: EntityManager, ctx: RequestContext, user: User, reason: string | null): Promise<void> {
    await this.record(tx, ctx, 'user.deletion_cancelled', user.id, reason ? { reason } : {});
    await this.send(tx, user, { template: 'account-deletion-cancelled', holdsFor: null, model: {} });
  }

  /** The last mail. The caller deletes the account and writes it down. */
  done(tx: EntityManager, user: User): Promise<void> {
    return this.send(tx, user, { template: 'account-deleted', holdsFor: null, model: {} });
  }

  private waiting(tx: EntityManager, user: User, template: Kind, due: Date): Promise<void> {
    const model = { due: due.toUTCString(), link: `${this.settings.baseUrl}/account/delete` };
    return this.send(tx, user, { template, holdsFor: null, model });
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
