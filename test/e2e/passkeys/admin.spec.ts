import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { sendForm } from '../../support/account-visitor.js';
import { contentWords, visitConsole } from '../../support/console-visitor.js';
import { type MailingService, startMailingService } from '../../support/mailing-service.js';
import { addPasskey, passkeySettings, TestAuthenticator } from '../../support/passkeys.js';
import { eventually } from '../../support/wait.js';
import type { TestUser, TestClient, World } from '../../support/world.js';

interface Listed {
  readonly id: string;
  readonly model: string;
}

describe('Passkeys of a user, for platform admins', () => {
  let mailing: MailingService;
  let world: World;
  let app: TestClient;

  beforeAll(async () => {
    mailing = await startMailingService(await passkeySettings());
    ({ world } = mailing);
    app = await world.app(await world.tenant());
  });

  afterAll(() => mailing.close());

  const aaguid = 'ea9b8d66-4d01-1d21-3ce4-b6b48cb575d4';
  const withPasskey = async () => {
    const user = await world.user(app);
    return { user, account: await addPasskey(world, user, new TestAuthenticator(world.baseUrl, { aaguid })) };
  };
  const list = (user: TestUser) => world.asAdmin<Listed[]>('GET', `/admin/users/${user.id}/passkeys`);
  const told = (user: TestUser) =>
    eventually('a mail about the removal', () =>
      mailing.smtp.to(user.email).find(({ text }) => text?.includes('An administrator removed a passkey')),
    );

  it('are listed without keys, and removed with an audit entry, a mail, and the end of all sessions', async () => {
    const { user, account } = await withPasskey();
    const [passkey, ...others] = await list(user);
    expect(others).toEqual([]);
    expect(passkey).toEqual({
      id: expect.any(String),
      name: null,
      aaguid,
      model: 'Google Password Manager',
      synced: true,
      rp_id: 'localhost',
      created_at: expect.any(String),
      last_used_at: null,
    });
    const path = `/admin/users/${user.id}/passkeys/${passkey!.id}`;
    const { user: other } = await withPasskey();
    const wrong = await world.call('DELETE', `/admin/users/${other.id}/passkeys/${passkey!.id}`, undefined, {
      token: world.admin.token,
    });
    expect([wrong.status, wrong.body['detail']]).toEqual([404, 'Passkey not found']);
    expect(await world.asAdmin('DELETE', path)).toEqual({ status: 'ok' });
    expect(await list(user)).toEqual([]);
    await told(user);
    expect((await account.get('/account')).location).toBe('/account/sign-in');
    const entries = await world.sql<{ metadata: object }>(
      "SELECT metadata FROM audit_entries WHERE user_id = $1 AND action = 'passkey.removed'",
      [user.id],
    );
    expect(entries).toMatchObject([{ metadata: { by: 'admin', aaguid } }]);
    const own = await world.call('DELETE', `/admin/users/${world.admin.id}/passkeys/${passkey!.id}`, undefined, {
      token: world.admin.token,
    });
    expect([own.status, own.body['detail']]).toEqual([400, 'Use /account for your own passkeys']);
  });

  it('are removed in the console, which asks first', async () => {
    const { user } = await withPasskey();
    const browser = await visitConsole(world, world.admin);
    const base = `/console/users/${user.id}`;
    expect(contentWords(await browser.get(`${base}/account`))).toContain('Google Password Manager · synced');
    const [passkey] = await list(user);
    const question = `${base}/passkeys/${passkey!.id}/remove`;
    expect(contentWords(await browser.get(question))).toMatch(/Remove a passkey of Ada Lovelace\?.*Passkeys left 0/);
    const done = await sendForm(browser, question, {}, question);
    expect(done.location).toBe(`${base}/account`);
    expect(await list(user)).toEqual([]);
    expect(contentWords(await browser.get(`${base}/timeline`))).toContain('Root removed a passkey of Ada Lovelace');
  });
});
