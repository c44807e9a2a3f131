import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { HostedBrowser, loginPath } from '../../support/hosted-page.js';
import { addPasskey, passkeySettings, TestAuthenticator } from '../../support/passkeys.js';
import { authorizationPath } from '../../support/openid-sign-in.js';
import { PKCE } from '../../support/one-time-code.js';
import { enrolDirectly, selfRegisteredApp } from '../../support/self-registered-app.js';
import { startTestApp, type TestApp } from '../../support/test-app.js';
import { freshDatabase, type TestDatabase } from '../../support/test-database.js';
import { type TestClient, type TestUser, World } from '../../support/world.js';

const OTHER_MODEL = '0ea242b4-43c4-4a1b-8b17-dd6d0b6baec6';
const ASKS_FOR_PASSKEY = 'Confirm with your passkey';
const DEMANDING = { require_2fa: true, allowed_providers: ['password', 'passkey'] };

/** docs/decisions/0055: with the password alone, an attacker could add a passkey and enter with it. */
describe('Account of a user with a passkey, from whom two factors are demanded', () => {
  let database: TestDatabase;
  let service: TestApp;
  let world: World;
  /** Demands nothing. */
  let app: TestClient;

  beforeAll(async () => {
    // Its own, because tests change the platform.
    database = await freshDatabase();
    service = await startTestApp({ settings: { ...(await passkeySettings()), databaseUrl: database.url } });
    world = await World.open(service.baseUrl, database.url);
    app = await world.app(await world.tenant());
  });

  afterAll(async () => {
    await world.close();
    await service.close();
    await database.drop();
  });

  const withPasskey = async (user: TestUser) => {
    await world.sql('UPDATE users SET email_verified = true WHERE id = $1', [user.id]);
    await addPasskey(world, user, new TestAuthenticator(world.baseUrl, { aaguid: OTHER_MODEL }));
    return user;
  };
  const withRole = async (role: string) => {
    const user = await world.user(app);
    await world.asAdmin('PUT', `/admin/users/${user.id}/roles`, { app_id: app.id, roles: [role] });
    return withPasskey(user);
  };
  /** With the password alone. */
  const openAccount = async (user: TestUser) => {
    const browser = new HostedBrowser(world.baseUrl);
    const page = await browser.signIn('/account/sign-in?any=1', user.email, user.password);
    return { page, isOpen: (await browser.get('/account')).status === 200 };
  };
  const expectGuarded = async (user: TestUser) => {
    const { page, isOpen } = await openAccount(user);
    expect([page.body.includes(ASKS_FOR_PASSKEY), isOpen]).toEqual([true, false]);
  };

  describe('by the platform, whose Console admits users with authority', () => {
    const MANNERS = {
      tenant: 'UPDATE tenants SET require_2fa = true WHERE is_platform AND $1 = $1',
      'Console app': `UPDATE apps SET config = config || '{"require_2fa": true}' WHERE id = $1`,
      'Console app, which accepts only passkeys': `UPDATE apps SET config = config || '{"allowed_providers": ["passkey"]}' WHERE id = $1`,
    } as const;
    let config: unknown;
    const demand = async (manner: keyof typeof MANNERS = 'tenant') => {
      await world.sql(MANNERS[manner], [world.platformConsoleId]);
    };

    beforeAll(async () => {
      [{ config }] = (await world.sql('SELECT config FROM apps WHERE id = $1', [world.platformConsoleId])) as [
        { config: unknown },
      ];
    });

    afterEach(async () => {
      await world.sql('UPDATE tenants SET require_2fa = false, passkey_aaguids = NULL WHERE is_platform');
      await world.sql('UPDATE apps SET config = $2 WHERE id = $1', [world.platformConsoleId, config]);
    });

    it.each([
      ['an admin of an app', () => withRole('admin')],
      ['a manager of an app', () => withRole('manager')],
      ['an admin of a tenant', async () => withPasskey(await world.tenantAdmin(await world.tenant()))],
      ['a platform admin', async () => withPasskey(await world.user(undefined, { is_platform_admin: true }))],
    ])('does not open with the password of %s', async (_, userOf) => {
      const user = await userOf();
      expect((await openAccount(user)).isOpen).toBe(true);
      await demand();
      await expectGuarded(user);
    });

    it.each(Object.keys(MANNERS) as (keyof typeof MANNERS)[])(
      'does not open if the rule is that of its %s',
      async (manner) => {
        const user = await withRole('admin');
        await demand(manner);
        await expectGuarded(user);
      },
    );

    it('does not open for an admin who is suspended, because they can become active again', async () => {
      const user = await withRole('admin');
      await world.asAdmin('POST', `/admin/users/${user.id}/suspend`, { app_id: app.id });
      await demand();
      await expectGuarded(user);
    });

    it('opens for users without authority', async () => {
      const user = await withRole('user');
      await demand();
      expect((await openAccount(user)).isOpen).toBe(true);
    });

    it('offers no other second factor to the password alone, if the platform does not accept the passkey', async () => {
      const user = await withRole('admin');
      await demand();
      await world.sql('UPDATE tenants SET passkey_aaguids = $1 WHERE is_platform', [
        ['2fc0579f-8113-47ea-b116-bb5a8db9202a'],
      ]);
      const browser = new HostedBrowser(world.baseUrl);
      const path = (await browser.get('/console/login')).location!;
      const page = await browser.signIn(path, user.email, user.password);
      expect(page.body).toContain(ASKS_FOR_PASSKEY);
      expect(page.body).not.toContain('class="qr"');
    });

    it('leaves lost passkeys to administrators, if the platform does', async () => {
      const patient = await world.app(await world.tenant({ passkey_recovery_days: 3 }), { config: DEMANDING });
      const user = await withPasskey(await world.user(patient));
      await world.asAdmin('PUT', `/admin/users/${user.id}/roles`, { app_id: patient.id, roles: ['admin'] });
      expect(await recoveryOf(user, loginPath(patient))).toContain('after 3 days');
      await demand();
      expect(await recoveryOf(user, loginPath(patient))).toContain('Ask an administrator');
    });
  });

  const recoveryOf = async (user: TestUser, path: string) => {
    const browser = new HostedBrowser(world.baseUrl);
    const page = await browser.signIn(path, user.email, user.password);
    const recovery = /href="(\/sign-in\/[^"]+\/passkey_recovery)"/.exec(page.body)?.[1];
    return recovery ? (await browser.get(recovery)).body : `No recovery: ${page.body}`;
  };

  describe('by a self-registered client, which follows the apps of its tenant', () => {
    /** @param rules of the app that the client follows, set after the client has stored its own copy */
    const memberOfClient = async (rules: Record<string, unknown>) => {
      const tenant = await world.tenant({ passkey_recovery_days: 3 });
      const followed = await world.app(tenant, { config: { allowed_providers: ['password', 'passkey'] } });
      const config = { allowed_providers: ['password', 'passkey'] };
      const client = await selfRegisteredApp(world, tenant, { config });
      const user = await world.user(app);
      await enrolDirectly(world, client, user);
      await withPasskey(user);
      await world.asAdmin('PUT', `/admin/apps/${followed.id}`, { config: rules });
      return { user, client, followed, tenant };
    };

    it.each([
      ['a second factor', { require_2fa: true }],
      ['nothing but passkeys', { allowed_providers: ['passkey'] }],
    ])('does not open if the apps of the tenant ask for %s now', async (_, rules) => {
      const { user } = await memberOfClient(rules);
      await expectGuarded(user);
    });

    it('does not open if the only app with the rule is switched off', async () => {
      const { user, followed } = await memberOfClient({ require_2fa: true });
      await world.asAdmin('PUT', `/admin/apps/${followed.id}`, { is_active: false });
      await expectGuarded(user);
    });

    it('opens if the apps no longer ask for a second factor', async () => {
      const { user } = await memberOfClient({});
      await world.sql(`UPDATE apps SET config = config || '{"require_2fa": true}' WHERE origin <> 'operator'`);
      expect((await openAccount(user)).isOpen).toBe(true);
    });

    it('has the waiting time for lost passkeys of the tenant that asks for a second factor now', async () => {
      const { user, client, followed, tenant } = await memberOfClient({});
      await enrolDirectly(world, followed, user);
      await world.app(tenant, { config: DEMANDING });
      expect(await recoveryOf(user, authorizationPath(client, PKCE))).toContain('after 3 days');
    });
  });
});
