import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { App } from '../../apps/app/app.entity.js';
import { Clock } from '../../common/clock.js';
import type { RequestContext } from '../../common/request-context.js';
import { AppMembers } from '../../enrollment/members/app-members.js';
import { SecurityNotices } from '../../enrollment/notices/security-notices.service.js';
import { withoutLinks } from '../../mail/content/without-links.js';
import type { Tenant } from '../../tenants/tenant.entity.js';

/**
 * Notifies a tenant's admins that another admin was invited. `AdministratorNotices` does this for admins who are
 * enrolled.
 */
@Injectable()
export class TenantAdminNotice {
  constructor(
    private readonly members: AppMembers,
    private readonly notices: SecurityNotices,
    private readonly clock: Clock,
  ) {}

  /** The admin who did it gets the notice too: their token may have been stolen. */
  async sendInvited(
    tx: EntityManager,
    { actor }: RequestContext,
    tenant: Tenant,
    console: App,
    email: string,
  ): Promise<void> {
    const model = {
      who: `${email} (once they accept the invitation)`,
      over: `the tenant ${withoutLinks(tenant.name)}`,
      by: actor.type === 'user' ? actor.email : 'An operator at the command line',
      when: this.clock.now().toUTCString(),
    };
    const recipients = (await this.members.listActive(tx, console.id)).map(({ userId }) => userId);
    await this.notices.sendLimited(tx, recipients, 'new-admin', model, { app: console, tenant });
  }
}
