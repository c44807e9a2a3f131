import { Inject, Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { appBrand } from '../../apps/directory/app-brand.js';
import type { App } from '../../apps/app/app.entity.js';
import { AppsService } from '../../apps/directory/apps.service.js';
import { SETTINGS, type Settings } from '../../config/settings.js';
import type { MailModels } from '../../mail/content/mail.js';
import { MailService } from '../../mail/sending/mail.service.js';
import { withoutLinks } from '../../mail/content/without-links.js';
import { TenantsService } from '../../tenants/tenants.service.js';
import { type NoticeRecipient, RequestNoticesRepository } from './request-notices.repository.js';

type RequestTemplate = 'access-request' | 'access-requests';

/** Mails the administrators who can decide an app's requests. */
@Injectable()
export class RequestMails {
  constructor(
    private readonly notices: RequestNoticesRepository,
    private readonly apps: AppsService,
    private readonly tenants: TenantsService,
    private readonly mails: MailService,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  /** One mail for each recipient, so that none of them sees the others. */
  async send<Template extends RequestTemplate>(
    tx: EntityManager,
    app: App,
    template: Template,
    model: Omit<MailModels[Template], 'link'>,
  ): Promise<void> {
    const brand = appBrand({ app, tenant: await this.tenants.get(app.tenantId, tx) });
    const link = `${this.settings.baseUrl}/console/requests?app=${app.id}`;
    for (const { userId, email, locale } of await this.recipients(tx, app)) {
      const mail = { template, to: email, locale, brand, replyTo: null, holdsFor: null };
      const named = { ...mail, model: { ...model, link } as MailModels[Template] };
      await this.mails.send(tx, named, { userId, app }, null);
    }
  }

  /** The app's admins, or those of its tenant if it has none. */
  private async recipients(tx: EntityManager, app: App): Promise<NoticeRecipient[]> {
    const admins = await this.notices.recipients(tx, app.id, 'admins');
    if (admins.length > 0) return admins;
    const console = await this.apps.getConsole(app.tenantId, tx);
    return this.notices.recipients(tx, console.id, 'members');
  }
}

/** A user's text in a mail: one line, shortened, and without anything that a mail program would turn into a link. */
export function quoted(text: string, longest: number): string {
  const letters = [...text.replace(/\s+/g, ' ').trim()];
  return withoutLinks(letters.length > longest ? `${letters.slice(0, longest).join('')}…` : letters.join(''));
}
