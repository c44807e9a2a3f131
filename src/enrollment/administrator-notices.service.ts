import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { App } from '../apps/app/app.entity.js';
import { AppsService } from '../apps/directory/apps.service.js';
import { Clock } from '../common/clock.js';
import { withoutLinks } from '../mail/without-links.js';
import type { Tenant } from '../tenants/tenant.entity.js';
import { TenantsService } from '../tenants/tenants.service.js';
import { AppMembers } from './app-members.js';
import { SecurityNotices } from './security-notices.service.js';

/** Administrators who get a mail, oldest account first: an app may have thousands, and an intruder who floods them makes new ones. */
const MOST_TOLD = 50;

/**
 * Mails a user that they now administer an app or a tenant, and its other administrators too, so that no one is added
 * unnoticed.
 */
@Injectable()
export class AdministratorNotices {
  constructor(
    private readonly notices: SecurityNotices,
    private readonly members: AppMembers,
    private readonly apps: AppsService,
    private readonly tenants: TenantsService,
    private readonly clock: Clock,
  ) {}

  /**
   * In the transaction that gives the authority. Also to the admin who gave it: their token may have been stolen.
   * @param app a Console app: its tenant is what is administered
   * @param by an e-mail address, or words for who has none
   */
  async send(tx: EntityManager, app: App, userId: string, by: string): Promise<void> {
    const { email: who } = (await this.members.find(app.id, userId, tx))!;
    const tenant = await this.tenants.get(app.tenantId, tx);
    const model = { over: nameOf(app, tenant), by, when: this.clock.now().toUTCString() };
    await this.notices.send(tx, userId, 'made-admin', model, { app, tenant });
    for (const other of (await this.others(tx, app, userId)).slice(0, MOST_TOLD))
      await this.notices.send(tx, other, 'new-admin', { who, ...model }, { app, tenant });
  }

  /** Where an app has no other administrator, the tenant's answer for it. */
  private async others(tx: EntityManager, app: App, newId: string): Promise<string[]> {
    const beside = (ids: { userId: string }[]) => ids.map(({ userId }) => userId).filter((id) => id !== newId);
    if (app.isConsoleApp) return beside(await this.members.listActive(tx, app.id));
    const admins = beside(await this.members.listAdmins(tx, app.id));
    if (admins.length > 0) return admins;
    const console = await this.apps.getConsole(app.tenantId, tx);
    return beside(await this.members.listActive(tx, console.id));
  }
}

function nameOf(app: App, tenant: Tenant): string {
  const name = withoutLinks(tenant.name);
  return app.isConsoleApp ? `the tenant ${name}` : `the app ${withoutLinks(app.name)} of ${name}`;
}
