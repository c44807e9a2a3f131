import { Inject, Injectable } from '@nestjs/common';
import Handlebars from 'handlebars';
import { chooseLocale, type Locale } from '../../common/i18n/locale.rules.js';
import { Messages } from '../../common/i18n/messages.js';
import { withTexts } from '../../common/i18n/with-texts.js';
import { firstLetter } from '../../common/pages/brand/avatar.js';
import { textOn } from '../../common/pages/brand/contrast.js';
import { colorOf } from '../../common/pages/brand/brand.js';
import { SETTINGS, type Settings } from '../../config/settings.js';
import type { Mail } from './mail.js';
import { mailSubject } from './mail-subjects.js';
import { type MailPart, MailTemplates } from './mail-templates.js';
import { withoutLinks } from './without-links.js';

export interface RenderedMail {
  readonly subject: string;
  readonly html: string;
  readonly text: string;
}

/** HTML and text of a mail in the reader's language, from `views/mail`. A misspelled variable throws. */
@Injectable()
export class MailRenderer {
  private readonly templates: Readonly<Record<MailPart, MailTemplates>>;

  constructor(
    private readonly messages: Messages,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {
    this.templates = { html: new MailTemplates('html', messages), text: new MailTemplates('text', messages) };
  }

  async render(mail: Mail): Promise<RenderedMail> {
    const locale = this.localeOf(mail);
    const background = colorOf(mail.brand);
    const model = {
      ...withTexts({ ...mail.model, holdsFor: mail.holdsFor }, (text) => this.messages.text(locale, text)),
      locale,
      accountUrl: `${this.settings.baseUrl}/account`,
      consoleUrl: `${this.settings.baseUrl}/console/`,
      subject: this.messages.text(locale, mailSubject(mail.template, mail.brand.appName)),
      to: mail.to,
      appName: withoutLinks(mail.brand.appName),
      monogram: firstLetter(mail.brand.appName) || '·',
      tenantName: withoutLinks(mail.brand.tenantName),
      replyTo: mail.replyTo,
      hasLogo: mail.brand.logo?.startsWith('data:image/png;base64,') ?? false,
      logoHeight: mail.brand.logoHeight,
      button: { background, text: textOn(background) },
    };
    const [html, text] = await Promise.all([this.part('html', mail, model), this.part('text', mail, model)]);
    return { subject: model.subject, html, text };
  }

  /** A mail has no request with a language. */
  private localeOf({ locale, brand }: Mail): Locale {
    const wishes = { uiLocales: null, user: locale ?? null, acceptLanguage: null, tenant: brand.locale ?? null };
    return chooseLocale(wishes, this.messages.selectable);
  }

  private async part(part: MailPart, { template }: Mail, model: object): Promise<string> {
    const templates = this.templates[part];
    const [layout, content] = await Promise.all([templates.find('layout'), templates.find(template)]);
    const body = content(model);
    return layout({ ...model, body: part === 'html' ? new Handlebars.SafeString(body) : body.trim() });
  }
}
