import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { App } from '../../apps/app/app.entity.js';
import { AppsService } from '../../apps/directory/apps.service.js';
import { Clock } from '../../common/clock.js';
import { withoutLinks } from '../../mail/content/without-links.js';
import type { Tenant } from '../../tenants/tenant.entity.js';
import { TenantsService } from '../../tenants/tenants.service.js';
import { AppMembers, MAX_RECIPIENTS } from '../members/app-members.js';
import { SecurityNotices } from './security-notices.service.js';

/** Number of new administrators who are named in a mail; it counts the others. */
const MAX_NAMED = 20;

/**
 * Notifies a user that they now administer an app or a tenant, and its other administrators, so that no administrator
 * is added unnoticed.
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
   * Called in the transaction that gives the authority. Also notifies the admin who gave it, because their token may
   * have been stolen.
   * @param app for a Console app, its tenant is what is administered
   * @param by an e-mail address, or a description of an actor without one
   */
  async send(tx: EntityManager, app: App, userId: string, by: string): Promise<void> {
    const { email: who } = (await this.members.find(app.id, userId, tx))!;
    const { client, model } = await this.clientAndModel(tx, app, by);
    await this.notices.sendLimited(tx, [userId], 'made-admin', model, client);
    const others = await this.others(tx, app, [userId]);
    await this.notices.sendLimited(tx, others, 'new-admin', { who, ...model }, client);
  }

  /**
   * For several new administrators of an import: the other administrators get one mail about all of them. So do new
   * ones who already administered the tenant, and, if there are no others, all new ones: otherwise each would only know
   * about themselves.
   */
  async sendOfMany(tx: EntityManager, app: App, userIds: readonly string[], by: string): Promise<void> {
    const [first] = userIds;
    if (first === undefined) return;
    if (userIds.length === 1) return this.send(tx, app, first, by);
    const { client, model } = await this.clientAndModel(tx, app, by);
    await this.notices.sendLimited(tx, userIds, 'made-admin', model, client);
    const others = await this.others(tx, app, userIds);
    const recipients = others.length > 0 ? others : [...userIds].sort().slice(0, MAX_RECIPIENTS);
    const named = await this.members.listAmong(app.id, userIds.slice(0, MAX_NAMED), tx);
    const names = named.map(({ email }) => email).sort();
    const about = { count: userIds.length, names, more: userIds.length - names.length };
    await this.notices.sendLimited(tx, recipients, 'new-admins', { ...about, ...model }, client);
  }

  /**
   * Tells a tenant's admins that another one was invited.
   * @param email the invited address, which has no account yet
   */
  async sendInvited(tx: EntityManager, console: App, email: string, by: string): Promise<void> {
    const { client, model } = await this.clientAndModel(tx, console, by);
    const who = `${email} (once they accept the invitation)`;
    await this.notices.sendLimited(tx, await this.others(tx, console, []), 'new-admin', { who, ...model }, client);
  }

  private async clientAndModel(tx: EntityManager, app: App, by: string) {
    const tenant = await this.tenants.get(app.tenantId, tx);
    const model = { over: nameOf(app, tenant), by, when: this.clock.now().toUTCString() };
    return { client: { app, tenant }, model };
  }

  /** If an app has no other administrator, the tenant's administrators. */
  private async others(tx: EntityManager, app: App, newIds: readonly string[]): Promise<string[]> {
    const idsOf = (members: readonly { userId: string }[]) => members.map(({ userId }) => userId);
    if (app.isConsoleApp) return idsOf(await this.members.listRecipients(app.id, 'members', tx, newIds));
    const admins = await this.members.listRecipients(app.id, 'admins', tx, newIds);
    if (admins.length > 0) return idsOf(admins);
    const console = await this.apps.getConsole(app.tenantId, tx);
    const except = newIds.length === 1 ? newIds : [];
    return idsOf(await this.members.listRecipients(console.id, 'members', tx, except));
  }
}

function nameOf(app: App, tenant: Tenant): string {
  const name = withoutLinks(tenant.name);
  return app.isConsoleApp ? `the tenant ${name}` : `the app ${withoutLinks(app.name)} of ${name}`;
}
