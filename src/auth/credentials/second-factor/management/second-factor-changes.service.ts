import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { AuditService } from '../../../../audit/audit.service.js';
import { Clock } from '../../../../common/clock.js';
import { message, type Text } from '../../../../common/i18n/message.js';
import type { RequestContext } from '../../../../common/request-context.js';
import { SecurityNotices } from '../../../../enrollment/notices/security-notices.service.js';
import type { User } from '../../../../users/user.entity.js';
import { NewCredentialNotices } from '../../notices/new-credential-notices.service.js';

/** Records a change of a second factor in the audit log, and notifies the user by mail. */
@Injectable()
export class SecondFactorChanges {
  constructor(
    private readonly audit: AuditService,
    private readonly notices: SecurityNotices,
    private readonly newOnes: NewCredentialNotices,
    private readonly clock: Clock,
  ) {}

  async record(
    tx: EntityManager,
    ctx: RequestContext,
    user: User,
    action: 'totp.enabled' | 'totp.disabled' | 'backup_code.regenerated',
    what: Text,
    by: 'owner' | 'admin' = 'owner',
  ): Promise<void> {
    const metadata = by === 'admin' ? { by } : {};
    await this.audit.record(tx, ctx, action, { userId: user.id, target: { type: 'user', id: user.id }, metadata });
    // An administrator's address is only in the audit log.
    const ip = by === 'admin' ? message('mail.admin_console') : (ctx.ip ?? message('mail.unknown_address'));
    const facts = { what, when: this.clock.now().toUTCString(), ip };
    if (action === 'totp.disabled')
      await this.notices.send(tx, user.id, 'second-factor-changed', { ...facts, link: null });
    else await this.newOnes.send(tx, user.id, 'second-factor-changed', facts);
  }
}
