import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { Inject, Injectable } from '@nestjs/common';
import Handlebars from 'handlebars';
import { DEFAULT_LOCALE } from '../common/i18n/locale.rules.js';
import { Messages } from '../common/i18n/messages.js';
import { withTexts } from '../common/i18n/with-texts.js';
import { filled } from '../common/pages/contrast.js';
import { FALLBACK_COLOR } from '../common/pages/brand.js';
import { SETTINGS, type Settings } from '../config/settings.js';
import type { Mail, MailTemplate } from './mail.js';
import { withoutLinks } from './without-links.js';

const FOLDER = fileURLToPath(new URL('../../views/mail/', import.meta.url));

export interface RenderedMail {
  readonly subject: string;
  readonly html: string;
  readonly text: string;
}

type Template = (model: object) => string;

/** Subjects hold no input of people: an app's name could be made to look like a link. */
const SUBJECTS: Readonly<Record<MailTemplate, string>> = {
  'verify-email': 'Confirm your e-mail address',
  'reset-password': 'Set a new password',
  'magic-link': 'Your sign-in link',
  'password-set': 'A password was set for your account',
  'password-changed': 'Your password was changed',
  'second-factor-changed': 'Your second factor was changed',
  'second-factor-locked': 'Wrong codes of your second factor',
  'linked-account-changed': 'The sign-in methods of your account were changed',
  'new-sign-in': 'New sign-in to your account',
  'made-admin': 'You were made an administrator',
  'new-admin': 'A new administrator',
  'webhook-failing': 'A webhook does not work',
  invite: 'You are invited',
  approved: 'Your access was approved',
};

/** HTML and hand-written text of a mail, from `views/mail`. A misspelt variable fails. */
@Injectable()
export class MailRenderer {
  private readonly templates = new Map<string, Promise<Template>>();

  constructor(
    private readonly messages: Messages,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  async render(mail: Mail): Promise<RenderedMail> {
    const model = {
      ...withTexts({ ...mail.model }, (text) => this.messages.text(DEFAULT_LOCALE, text)),
      accountUrl: `${this.settings.baseUrl}/account`,
      consoleUrl: `${this.settings.baseUrl}/console/`,
      subject: SUBJECTS[mail.template],
      to: mail.to,
      appName: withoutLinks(mail.brand.appName),
      tenantName: withoutLinks(mail.brand.tenantName),
      holdsFor: mail.holdsFor,
      replyTo: mail.replyTo,
      hasLogo: mail.brand.logo?.startsWith('data:image/png;base64,') ?? false,
      logoHeight: mail.brand.logoHeight,
      button: filled(/^#[0-9a-f]{6}$/.test(mail.brand.primaryColor) ? mail.brand.primaryColor : FALLBACK_COLOR),
    };
    const [layout, html, textLayout, text] = await Promise.all([
      this.template('layout.html.hbs', false),
      this.template(`${mail.template}.html.hbs`, false),
      this.template('layout.text.hbs', true),
      this.template(`${mail.template}.text.hbs`, true),
    ]);
    return {
      subject: model.subject,
      html: layout({ ...model, body: new Handlebars.SafeString(html(model)) }),
      text: textLayout({ ...model, body: text(model).trim() }),
    };
  }

  private template(name: string, plain: boolean): Promise<Template> {
    const known = this.templates.get(name);
    if (known) return known;
    const compiled = readFile(`${FOLDER}${name}`, 'utf8').then(
      (source) => Handlebars.compile(source, { strict: true, noEscape: plain }) as Template,
    );
    this.templates.set(name, compiled);
    return compiled;
  }
}
