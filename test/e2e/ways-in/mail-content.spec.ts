import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type MailingService, startMailingService } from '../../support/mailing-service.js';
import { newAddress, signUpUser, signUp } from '../../support/new-user.js';
import { linkIn, type ReceivedMail } from '../../support/smtp.js';
import { eventually } from '../../support/wait.js';
import { type TestClient, unique, type World } from '../../support/world.js';

/** Every way in which a client, or a proxy in front, may claim another address. */
const LIES: readonly Record<string, string>[] = [
  { Host: 'evil.example' },
  { 'X-Forwarded-Host': 'evil.example' },
  { 'X-Forwarded-Proto': 'https' },
  { 'X-Forwarded-Port': '666' },
  { Forwarded: 'host=evil.example;proto=https' },
  { 'X-Original-URL': 'https://evil.example/' },
  { 'X-Host': 'evil.example' },
];

describe('Mail content', () => {
  let mailing: MailingService;
  let world: World;
  let app: TestClient;

  beforeAll(async () => {
    mailing = await startMailingService({ trustProxy: 1 });
    ({ world } = mailing);
    app = await world.app(await world.tenant(), { registration_policy: 'open' });
  });

  afterAll(() => mailing.close());

  // security 24
  it.each([...LIES, Object.assign({}, ...LIES) as Record<string, string>])(
    'has links below BASE_URL only, with %j',
    async (headers) => {
      const [email, user] = [newAddress(), await world.user(app)];
      await raw(world.baseUrl, '/auth/signup', headers, {
        email,
        display_name: 'Grace',
        password: 'a long password',
        app_id: app.id,
      });
      await raw(world.baseUrl, '/auth/forgot-password', headers, { email: user.email, app_id: app.id });
      await raw(world.baseUrl, '/auth/magic-link/request', headers, { email: user.email, app_id: app.id });
      const mails = [
        await mailing.smtp.next(email, 'Confirm your e-mail address'),
        await mailing.smtp.next(user.email, 'Set a new password'),
        await mailing.smtp.next(user.email, 'Your sign-in link'),
      ];
      for (const mail of mails) {
        expect(linkIn(mail).url.startsWith(`${world.baseUrl}/`)).toBe(true);
        expect(linksIn(mail).filter((link) => !link.startsWith(`${world.baseUrl}/`))).toEqual([]);
        expect(mail.raw).not.toContain('evil.example');
      }
    },
  );

  // security 32
  it.each([
    'Free prize at https://evil.example/win',
    'evil.example',
    'www.evil.example/win?a=b',
    'mail me@evil.example',
    '<a href="https://evil.example">Click</a>',
    '"><img src=x onerror=alert(1)>',
    '{{link}} {{{body}}}',
  ])('shows the name %j as plain text: no tag, no link, no header', async (name) => {
    const tenant = await world.tenant({ name: `${name} ${unique()}`.slice(0, 100), slug: `t-${unique()}` });
    const hostile = await world.app(tenant, { name, registration_policy: 'open' });
    const email = newAddress();
    await signUp(world, hostile, { email, display_name: name });
    await world.call('POST', '/auth/magic-link/request', { email, app_id: hostile.id });
    const mails = [
      await mailing.smtp.next(email, 'Confirm your e-mail address'),
      await mailing.smtp.next(email, 'Your sign-in link'),
    ];
    for (const mail of mails) {
      const html = String(mail.html);
      expect([mail.recipients, mail.cc, mail.bcc, mail.headers.get('x-evil')]).toEqual([
        [email],
        undefined,
        undefined,
        undefined,
      ]);
      expect(linksIn(mail).filter((link) => !link.startsWith(`${world.baseUrl}/`))).toEqual([]);
      expect(html).not.toMatch(/<img[^>]+onerror|<a href="https:\/\/evil/);
      // What a mail program would make a link of.
      for (const text of [mail.subject!, mail.text!, html]) expect(text).not.toMatch(/evil\.example|me@evil/);
    }
  });

  // security 32
  it('shows names as one line in the order in which they were written', async () => {
    const name = 'Acme\u2028\u2028Your account\u0085is\u2029locked\u000b\u000c.\u202eXYZ\u2066';
    const tenant = await world.tenant({ name: `${name} ${unique()}`, slug: `t-${unique()}` });
    const hostile = await world.app(tenant, { name, registration_policy: 'open' });
    const email = newAddress();
    await signUp(world, hostile, { email });
    const mail = await mailing.smtp.next(email, 'Confirm your e-mail address');
    for (const text of [mail.subject!, mail.text!, String(mail.html)]) {
      expect([...'\u000b\u000c\u0085\u2028\u2029\u202e\u2066'].filter((sign) => text.includes(sign))).toEqual([]);
      expect(text).toContain('Acme Your account is locked');
    }
  });

  // security 32
  it.each(['line\r\nX-Evil: 1', 'line\nBcc: b@example.com'])('has no second header for the name %j', async (name) => {
    const email = newAddress();
    const tenant = await world.tenant();
    const made = await world.call<{ id?: string }>(
      'POST',
      '/admin/apps',
      { name, tenant_id: tenant.id, bundle_id: `com.example.${unique()}`, registration_policy: 'open' },
      { token: world.admin.token },
    );
    await signUp(world, { id: made.body.id ?? app.id }, { email, display_name: name });
    const mail = await mailing.smtp.next((await signUpUser(world, app)).email, 'Confirm your e-mail address');
    for (const each of [mail, ...mailing.smtp.to(email)]) {
      expect([each.headers.has('x-evil'), each.headers.has('bcc'), each.recipients.length]).toEqual([false, false, 1]);
    }
    expect(mailing.smtp.offered).not.toContain('b@example.com');
  });

  it('names sender and reason, in text and HTML, and marks itself as automatic', async () => {
    const tenant = await world.tenant({ support_email: 'help@tenant.example' });
    const branded = await world.app(tenant, {
      name: 'Notebook',
      registration_policy: 'open',
      config: { branding: { primary_color: '#0f766e' } },
    });
    const { email } = await signUpUser(world, branded);
    const mail = await mailing.smtp.next(email, 'Confirm your e-mail address');
    expect(mail.headers.get('auto-submitted')).toBe('auto-generated');
    expect(mail.replyTo?.text).toBe('help@tenant.example');
    expect(mail.from?.text).toContain('no-reply@');
    expect(mail.messageId).toMatch(/^<[0-9a-f-]{36}@127\.0\.0\.1>$/);
    for (const part of [mail.text!, String(mail.html).replaceAll('&#x3D;', '=')]) {
      for (const words of ['Notebook', tenant.name, email, '24 hours', 'No, remove this account', linkIn(mail).url])
        expect(part).toContain(words);
    }
    expect(mail.html).toContain('#0f766e');
    expect(String(mail.html)).not.toMatch(/<script|src="http|url\(/);
  });

  // security 64
  it('leaves no token in any table, before and after sending', async () => {
    const user = await world.user(app);
    mailing.smtp.be({ code: 451, text: 'Later' });
    const email = newAddress();
    await signUp(world, app, { email });
    await world.call('POST', '/auth/forgot-password', { email: user.email, app_id: app.id });
    await world.call('POST', '/auth/magic-link/request', { email: user.email, app_id: app.id });
    await eventually('three failed attempts', async () => {
      const rows = await world.sql("SELECT 1 FROM outbox_messages WHERE job = 'mail.send' AND last_error IS NOT NULL");
      return rows.length >= 3;
    });
    const before = await dump(world);
    mailing.smtp.be('accept');
    await world.sql('UPDATE outbox_messages SET available_at = now() WHERE done_at IS NULL');
    const mails = [
      await mailing.smtp.next(email, 'Confirm your e-mail address'),
      await mailing.smtp.next(user.email, 'Set a new password'),
      await mailing.smtp.next(user.email, 'Your sign-in link'),
    ];
    const after = await dump(world);
    expect(before).toContain('"mail.send"');
    for (const { token } of mails.map(linkIn)) {
      expect(token).toMatch(/^[\w-]{43,}$/); // 256 bits
      expect(before.includes(token) || after.includes(token)).toBe(false);
    }
  });
});

/** With a Host of our own choice, which `fetch` does not let through. */
async function raw(baseUrl: string, path: string, headers: Record<string, string>, body: unknown): Promise<void> {
  const sent = request(`${baseUrl}${path}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
  });
  sent.end(JSON.stringify(body));
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  response.resume();
  if (response.statusCode !== 200) throw new Error(`${path} → ${response.statusCode}`);
}

/** Every address in the text and every `href` of the HTML. */
function linksIn(mail: ReceivedMail): string[] {
  const printed = mail.text!.match(/\bhttps?:\/\/\S+/g) ?? [];
  return [...printed, ...[...String(mail.html).matchAll(/\b(?:href|src)="([^"]*)"/g)].map((match) => match[1]!)];
}

/** The whole database as text. */
async function dump(world: World): Promise<string> {
  const tables = await world.sql<{ name: string }>(
    "SELECT quote_ident(table_name) AS name FROM information_schema.tables WHERE table_schema = 'public' AND table_type = 'BASE TABLE'",
  );
  const rows = await Promise.all(tables.map(({ name }) => world.sql(`SELECT to_jsonb(t) AS row FROM ${name} t`)));
  return JSON.stringify(rows);
}
