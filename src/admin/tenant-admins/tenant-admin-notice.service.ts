import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { appBrand } from '../../apps/app-brand.js';
import type { App } from '../../apps/app.entity.js';
import { SecurityNotices } from '../../auth/notices/security-notices.service.js';
import { Clock } from '../../common/clock.js';
import type { RequestContext } from '../../common/request-context.js';
import { AppMembers } from '../../enrollment/app-members.js';
import { MailService } from '../../mail/mail.service.js';
import { withoutLinks } from '../../mail/without-links.js';
import type { Tenant } from '../../tenants/tenant.entity.js';

/** Tells a tenant's admins of another one, and that one: nobody gets in unnoticed. */
@Injectable()
export class TenantAdminNotice {
  constructor(
    private readonly members: AppMembers,
    private readonly mails: MailService,
    private readonly notices: SecurityNotices,
    private readonly clock: Clock,
  ) {}

  /** Also to whoever did it: it may have been somebody with their token. @param admin `userId` null: invited */
  async send(
    tx: EntityManager,
    { actor }: RequestContext,
    tenant: Tenant,
    console: App,
    admin: { readonly userId: string | null; readonly email: string },
  ): Promise<void> {
    const model = {
      who: admin.userId ? admin.email : `${admin.email} (once they accept the invitation)`,
      over: `the tenant ${withoutLinks(tenant.name)}`,
      by: actor.type === 'user' ? actor.email : 'An operator at the command line',
      when: this.clock.now().toUTCString(),
    };
    const brand = appBrand({ app: console, tenant });
    if (admin.userId) {
      const { over, by, when } = model;
      await this.notices.send(tx, admin.userId, 'made-admin', { over, by, when }, { app: console, tenant });
    }
    for (const { userId, email } of await this.members.listActive(tx, console.id)) {
      if (userId === admin.userId) continue;
      const mail = { template: 'new-admin', to: email, brand, replyTo: tenant.supportEmail, holdsFor: null } as const;
      await this.mails.send(tx, { ...mail, model }, null);
    }
  }
}
