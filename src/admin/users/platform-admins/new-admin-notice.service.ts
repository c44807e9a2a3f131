import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Clock } from '../../../common/clock.js';
import { OWN_BRAND } from '../../../common/pages/brand/brand.js';
import type { RequestContext } from '../../../common/request-context.js';
import { MailService } from '../../../mail/sending/mail.service.js';
import { giverOf } from '../../../enrollment/authority/new-authority.rules.js';
import { SecurityNotices } from '../../../enrollment/notices/security-notices.service.js';
import { UsersService } from '../../../users/users.service.js';

/** Mails a notice of a new platform admin to the other platform admins and to the new one. */
@Injectable()
export class NewAdminNotice {
  constructor(
    private readonly users: UsersService,
    private readonly mails: MailService,
    private readonly notices: SecurityNotices,
    private readonly clock: Clock,
  ) {}

  /** The admin who did it gets the notice too: their token may have been stolen. */
  async send(tx: EntityManager, ctx: RequestContext, admin: { id: string; email: string }): Promise<void> {
    const act = { over: 'the whole service', by: giverOf(ctx), when: this.clock.now().toUTCString() };
    const model = { who: admin.email, ...act };
    await this.notices.sendLimited(tx, [admin.id], 'made-admin', act);
    for (const { id, email, isActive } of await this.users.lockPlatformAdmins(tx)) {
      if (id === admin.id || !isActive) continue;
      const mail = { template: 'new-admin', to: email, brand: OWN_BRAND, replyTo: null, holdsFor: null } as const;
      await this.mails.send(tx, { ...mail, model }, { userId: id, app: null }, null);
    }
  }
}
