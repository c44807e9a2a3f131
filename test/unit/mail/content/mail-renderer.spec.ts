import { describe, expect, it } from '@jest/globals';
import Handlebars from 'handlebars';
import { message, reviveMessage } from '../../../../src/common/i18n/message.js';
import { Messages } from '../../../../src/common/i18n/messages.js';
import type { Settings } from '../../../../src/config/settings.js';
import type { Mail, MailModels } from '../../../../src/mail/content/mail.js';
import { MailRenderer } from '../../../../src/mail/content/mail-renderer.js';

const X = `<b>1</b>"'`;
const LINK = 'https://1.example/?2=3&4';
const [when, ip] = [X, X];
const settings = { baseUrl: 'https://1.example' } as Settings;
const renderer = new MailRenderer(new Messages(), settings);

const MODELS: MailModels = {
  'verify-email': { link: LINK },
  'reset-password': { link: LINK },
  'magic-link': { link: LINK },
  'password-set': { when, ip },
  'password-changed': { when, ip: message('mail.unknown_address') },
  'second-factor-changed': {
    what: message('mail.second_factor_changed.backup_code_used', { left: 2 }),
    when,
    ip,
    link: null,
  },
  'second-factor-locked': { tries: 5, wait: message('common.wait.minutes', { count: 15 }), when, ip },
  'passkey-changed': { what: message('mail.passkey_changed.added_model', { model: X }), when, ip, link: LINK },
  'account-deletion-requested': { due: X, link: LINK, ip },
  'account-deletion-tomorrow': { due: X, link: LINK },
  'account-deletion-cancelled': { why: message('mail.account_deletion_cancelled.recovered') },
  'account-deleted': {},
  'passkey-recovery': { days: 7, link: LINK, when, ip: X },
  'email-change-code': { code: X },
  'email-change-requested': { newEmail: X, link: LINK, when, ip: X },
  'email-changed': { newEmail: X, link: LINK, when, ip: X },
  'email-change-undone': { when, ip: X },
  'scheduled-change': { when, what: message('mail.scheduled_change.shut_out') },
  'scheduled-change-tomorrow': { when, what: message('mail.scheduled_change.other_method') },
  'scheduled-change-retracted': { when },
  'scheduled-change-made': {
    place: X,
    when,
    numbers: [message('mail.scheduled_change_made.shut_out', { then: 1, now: 2 })],
  },
  'scheduled-change-failed': {
    place: X,
    when,
    why: message('mail.scheduled_change_failed.changed_meanwhile'),
    changed: [message('mail.scheduled_change_failed.setting', { setting: X, then: X, now: X })],
  },
  'linked-account-changed': { what: X, when, ip, link: LINK },
  'new-sign-in': { browser: X, when, ip },
  'made-admin': { over: X, by: X, when },
  'access-request': { person: X, address: X, message: X, link: LINK },
  'access-requests': { count: 2, names: [X], more: 1, link: LINK },
  'new-admin': { who: X, over: X, by: X, when },
  'new-admins': { count: 2, names: [X], more: 1, over: X, by: X, when },
  invite: { link: LINK, code: X, invitedBy: X },
  'webhook-failing': { receiver: X, what: message('mail.webhook_failing.gone'), when },
  approved: { link: LINK },
  test: {},
};
const NAMES = Object.keys(MODELS) as (keyof MailModels)[];

function mail(template: keyof MailModels, more: Partial<Mail> = {}): Mail {
  const brand = { appName: X, tenantName: X, primaryColor: '#112233', logo: null, logoHeight: 40 };
  const holdsFor = message('common.wait.minutes', { count: 10 });
  return { template, to: X, brand, replyTo: X, model: MODELS[template], holdsFor, ...more };
}

/** What a reader sees, without what the model brought along. */
function said(text: string): string {
  const values = [X, LINK, `${settings.baseUrl}/account`, `${settings.baseUrl}/console/`];
  const shown = values.flatMap((value) => [Handlebars.escapeExpression(value), value]);
  const withoutLinks = text.replaceAll('\u200b', '');
  return shown.reduce((rest, value) => rest.replaceAll(value, ''), withoutLinks);
}

describe.each(NAMES)('Mail %s', (template) => {
  it('is completely in the language of its reader', async () => {
    const { subject, html, text } = await renderer.render(mail(template, { locale: 'en-XA' }));
    expect(html).toContain('<html lang="en-XA">');
    const visible = said(html.replace(/<style>[\s\S]*?<\/style>|<span aria-hidden="true"[^>]*>.<\/span>/g, '')).replace(
      /<[^>]*>|&[#\w]+;/g,
      ' ',
    );
    for (const part of [said(subject), said(text), visible]) expect(/[A-Za-z].*/.exec(part)?.[0]).toBeUndefined();
  });

  it('is in English for a reader without a setting, or with an unsupported language', async () => {
    const english = await renderer.render(mail(template));
    expect(english.html).toContain('<html lang="en">');
    expect(await renderer.render(mail(template, { locale: 'se' }))).toEqual(english);
  });

  it('shows hostile names as text, also those saved before names were cleaned', async () => {
    const rendered = await renderer.render(mail(template));
    expect(rendered.html).not.toContain('<b>');
    expect(rendered.html).toContain('&lt;b&gt;');
    expect(rendered.text).not.toContain('&lt;');
    const saved = JSON.parse(JSON.stringify(mail(template)), reviveMessage) as Mail;
    expect(await renderer.render(saved)).toEqual(rendered);
  });
});

describe('Subjects of mails about an app', () => {
  const subjectFor = async (appName: string, template: keyof MailModels = 'invite') => {
    const brand = { appName, tenantName: '', primaryColor: '#112233', logo: null, logoHeight: 40 };
    return (await renderer.render(mail(template, { brand }))).subject;
  };

  it('name the app', async () => {
    expect(await subjectFor('Acme Notes')).toBe('You are invited to Acme Notes');
    expect(await subjectFor('Acme Notes', 'magic-link')).toBe('Your sign-in link for Acme Notes');
    expect(await subjectFor('Acme Notes', 'password-changed')).toBe('Your password was changed');
  });

  it('are one short line without links, whatever the name', async () => {
    expect(await subjectFor('Acme\r\nBcc: a@example.com\u202e\u0000')).toBe(
      'You are invited to Acme Bcc:\u200b a@\u200bexample.\u200bcom',
    );
    expect(await subjectFor('😀'.repeat(61))).toBe(`You are invited to ${'😀'.repeat(60)}…`);
  });
});

describe('Links in mails', () => {
  it('show their destination', async () => {
    const { html, text } = await renderer.render(mail('new-admin'));
    const account = Handlebars.escapeExpression(`${settings.baseUrl}/account`);
    expect(html).toContain(`<a href="${account}" style="color:inherit;">${account}</a>`);
    expect(text).toContain(`sessions and devices: ${settings.baseUrl}/account`);
  });
});
