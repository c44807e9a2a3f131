import { Inject, Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { App } from '../../apps/app/app.entity.js';
import { AppsService } from '../../apps/directory/apps.service.js';
import { SETTINGS, type Settings } from '../../config/settings.js';
import type { MailModels } from '../../mail/content/mail.js';
import { withoutLinks } from '../../mail/content/without-links.js';
import { TenantsService } from '../../tenants/tenants.service.js';
import { AppMembers } from '../members/app-members.js';
import type { RequestTemplate } from '../notices/account-mails.js';
import { SecurityNotices } from '../notices/security-notices.service.js';

/** Mails the administrators who can decide an app's requests, within a limit for each of them. */
@Injectable()
export class RequestMails {
  constructor(
    private readonly members: AppMembers,
    private readonly apps: AppsService,
    private readonly tenants: TenantsService,
    private readonly notices: SecurityNotices,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  /** One mail for each recipient, so that none of them sees the others. */
  async send<Template extends RequestTemplate>(
    tx: EntityManager,
    app: App,
    template: Template,
    model: Omit<MailModels[Template], 'link'>,
  ): Promise<void> {
    const link = `${this.settings.baseUrl}/console/requests?app=${app.id}`;
    const linked = { ...model, link } as MailModels[Template];
    const client = { app, tenant: await this.tenants.get(app.tenantId, tx) };
    await this.notices.sendLimited(tx, await this.recipients(tx, app), template, linked, client);
  }

  /** The app's admins, or those of its tenant if it has none. */
  private async recipients(tx: EntityManager, app: App): Promise<string[]> {
    const admins = await this.members.listRecipients(app.id, 'admins', tx);
    if (admins.length > 0) return admins.map(({ userId }) => userId);
    const console = await this.apps.getConsole(app.tenantId, tx);
    const ofTenant = await this.members.listRecipients(console.id, 'members', tx);
    return ofTenant.map(({ userId }) => userId);
  }
}

/** A user's text in a mail: one line, shortened, and without anything that a mail program would turn into a link. */
export function quoted(text: string, longest: number): string {
  const letters = [...text.replace(/\s+/g, ' ').trim()];
  return withoutLinks(letters.length > longest ? `${letters.slice(0, longest).join('')}…` : letters.join(''));
}
