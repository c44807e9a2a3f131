import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type MailingService, startMailingService } from '../../support/mailing-service.js';
import { quietOutbox } from '../../support/quiet-outbox.js';
import { isAbout } from '../../support/smtp.js';
import { type TestUser, type TestTenant, unique, type World } from '../../support/world.js';

const MADE = 'You were made an administrator';

describe('Administrators whom an import makes', () => {
  let mailing: MailingService;
  let world: World;
  let tenant: TestTenant;
  let owner: TestUser;

  beforeAll(async () => {
    mailing = await startMailingService({ rateLimits: { enabled: false, overrides: {} } });
    ({ world } = mailing);
    tenant = await world.tenant({ name: 'Acme' });
    owner = await world.tenantAdmin(tenant);
    await quietOutbox(world);
    await world.sql('UPDATE users SET email_verified = true WHERE id = $1', [owner.id]);
  });

  afterAll(() => mailing.close());

  const member = (fields: object = {}) => ({
    email: `new-${unique()}@example.com`,
    display_name: 'New',
    email_verified: true,
    roles: ['user', 'admin'],
    ...fields,
  });
  const importUsers = async (users: readonly object[], token = world.admin.token, query = '') => {
    const app = {
      name: 'Shop',
      bundle_id: `com.example.${unique()}`,
      config: { available_roles: ['user', 'manager', 'admin'] },
    };
    const body = { tenant_id: tenant.id, app, users };
    const { status } = await world.call('POST', `/admin/apps/import${query}`, body, { token });
    expect([200, 201]).toContain(status);
    await quietOutbox(world);
  };
  const mailsTo = (email: string, subject: string) => mailing.smtp.to(email).filter((mail) => isAbout(mail, subject));
  /** What the tenant's admin got since. */
  const told = async (act: () => Promise<void>) => {
    const before = mailing.smtp.to(owner.email).length;
    await act();
    return mailing.smtp.to(owner.email).slice(before);
  };

  it('are mailed, and the other administrators get one mail that names twenty and counts the rest', async () => {
    const users = Array.from({ length: 25 }, () => member());
    const mails = await told(() => importUsers(users));
    for (const { email } of users) expect(mailsTo(email, MADE)).toHaveLength(1);
    expect(mails.map(({ subject }) => subject)).toEqual(['New administrators']);
    const text = mails[0]!.text!.replaceAll('\u200b', '');
    expect(text).toContain(
      `25 users are now administrators of the app Shop of Acme. ${world.admin.email} imported them`,
    );
    expect(users.filter(({ email }) => text.includes(email))).toHaveLength(20);
    expect(text).toContain('and 5 more users');
    expect(mails[0]!.html).toContain('and 5 more users');
  });

  it('are named to an admin of the tenant who is one of them', async () => {
    await world.tenantAdmin(tenant);
    await quietOutbox(world);
    const stranger = member();
    const users = [stranger, { email: owner.email, display_name: 'Owner', roles: ['admin'] }];
    const mails = await told(() => importUsers(users));
    expect(mails.map(({ subject }) => subject).sort()).toEqual(['New administrators', MADE]);
    expect(mails.map(({ text }) => text!.replaceAll('\u200b', '')).join('')).toContain(stranger.email);
  });

  it('are named to each other where there is no one else', async () => {
    const users = [member(), member()];
    const alone = await world.tenant();
    const app = { name: 'Shop', bundle_id: `com.example.${unique()}`, config: { available_roles: ['user', 'admin'] } };
    await world.asAdmin('POST', '/admin/apps/import', { tenant_id: alone.id, app, users });
    await quietOutbox(world);
    for (const { email } of users) expect(mailsTo(email, 'New administrators')).toHaveLength(1);
  });

  it('who are alone are named as such', async () => {
    const user = member();
    const mails = await told(() => importUsers([user, member({ roles: ['user'] })]));
    expect(mails.map(({ subject }) => subject)).toEqual(['A new administrator']);
    expect(mails[0]!.text).toContain(user.email);
    expect(mailsTo(user.email, MADE)).toHaveLength(1);
  });

  it('are mailed when an admin of the tenant imports them, who is mailed as well', async () => {
    const user = await world.user(await world.app(tenant), { email_verified: true });
    const token = (await world.tokens(owner, tenant.consoleAppId)).access_token;
    const mails = await told(() => importUsers([{ email: user.email, display_name: 'P', roles: ['admin'] }], token));
    expect(mails.map(({ subject }) => subject)).toEqual(['A new administrator']);
    expect(mails[0]!.text).toContain(`${owner.email} gave them this role`);
    expect(mailsTo(user.email, MADE)).toHaveLength(1);
  });

  it('are those who can act: no one is mailed of other members, nor of a plan', async () => {
    const users = [member({ roles: ['user'] }), member({ status: 'suspended' }), member({ status: 'pending' })];
    expect(await told(() => importUsers(users))).toEqual([]);
    const planned = member();
    expect(await told(() => importUsers([planned], undefined, '?dry_run=true'))).toEqual([]);
    for (const { email } of [...users, planned]) expect(mailsTo(email, MADE)).toEqual([]);
  });
});
