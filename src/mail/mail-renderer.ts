import { Inject, Injectable } from '@nestjs/common';
import Handlebars from 'handlebars';
import { type Message, message } from '../common/i18n/message.js';
import { chooseLocale, type Locale } from '../common/i18n/locale.rules.js';
import { Messages } from '../common/i18n/messages.js';
import { withTexts } from '../common/i18n/with-texts.js';
import { filled } from '../common/pages/contrast.js';
import { FALLBACK_COLOR } from '../common/pages/brand.js';
import { SETTINGS, type Settings } from '../config/settings.js';
import type { Mail, MailTemplate } from './mail.js';
import { type MailPart, MailTemplates } from './mail-templates.js';
import { withoutLinks } from './without-links.js';

export interface RenderedMail {
  readonly subject: string;
  readonly html: string;
  readonly text: string;
}

/** Subjects contain no user input: an app's name could look like a link. */
const SUBJECTS: Readonly<Record<MailTemplate, Message>> = {
  'verify-email': message('mail.verify_email.heading'),
  'reset-password': message('mail.reset_password.heading'),
  'magic-link': message('mail.magic_link.heading'),
  'password-set': message('mail.password_set.subject'),
  'password-changed': message('mail.password_changed.heading'),
  'second-factor-changed': message('mail.second_factor_changed.heading'),
  'second-factor-locked': message('mail.second_factor_locked.heading'),
  'passkey-changed': message('mail.passkey_changed.heading'),
  'email-change-code': message('mail.email_change_code.heading'),
  'email-change-requested': message('mail.email_change_requested.heading'),
  'email-changed': message('mail.email_changed.heading'),
  'email-change-undone': message('mail.email_change_undone.heading'),
  'linked-account-changed': message('mail.linked_account_changed.subject'),
  'new-sign-in': message('mail.new_sign_in.heading'),
  'made-admin': message('mail.made_admin.heading'),
  'new-admin': message('mail.new_admin.heading'),
  'webhook-failing': message('mail.webhook_failing.heading'),
  invite: message('mail.invite.heading'),
  approved: message('mail.approved.subject'),
  'access-request': message('mail.access_request.subject'),
  'access-requests': message('mail.access_requests.subject'),
};

/** HTML and text of a mail in the reader's language, from `views/mail`. A misspelt variable fails. */
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
    const model = {
      ...withTexts({ ...mail.model, holdsFor: mail.holdsFor }, (text) => this.messages.text(locale, text)),
      locale,
      accountUrl: `${this.settings.baseUrl}/account`,
      consoleUrl: `${this.settings.baseUrl}/console/`,
      subject: this.messages.text(locale, SUBJECTS[mail.template]),
      to: mail.to,
      appName: withoutLinks(mail.brand.appName),
      tenantName: withoutLinks(mail.brand.tenantName),
      replyTo: mail.replyTo,
      hasLogo: mail.brand.logo?.startsWith('data:image/png;base64,') ?? false,
      logoHeight: mail.brand.logoHeight,
      button: filled(/^#[0-9a-f]{6}$/.test(mail.brand.primaryColor) ? mail.brand.primaryColor : FALLBACK_COLOR),
    };
    const [html, text] = await Promise.all([this.part('html', mail, model), this.part('text', mail, model)]);
    return { subject: model.subject, html, text };
  }

  /** A mail has no browser that could ask for a language. */
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
