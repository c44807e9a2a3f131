import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { AppDirectory } from '../../../src/apps/directory/app-directory.js';
import { MailLinksService } from '../../../src/auth/email-links/mail-links.service.js';
import { Transactions } from '../../../src/database/transactions.js';
import { UsersService } from '../../../src/users/users.service.js';
import { HostedBrowser, loginPath } from '../../support/hosted-page.js';
import { startTestApp, type TestApp } from '../../support/test-app.js';
import { freshDatabase, type TestDatabase } from '../../support/test-database.js';
import { type TestUser, World } from '../../support/world.js';

// Hundreds of sign-ins, each with three methods.
jest.setTimeout(240_000);

interface Check {
  readonly allowed: boolean;
  readonly rules: { readonly rule: string; readonly verdict: 'pass' | 'fail' | 'info'; readonly explanation: string }[];
}

interface AppKind {
  readonly console: boolean;
  readonly tenantOn: boolean;
  readonly appOn: boolean;
  readonly policy: 'open' | 'approval' | 'invite';
  readonly password: boolean;
  readonly require2fa: boolean;
}

interface UserKind {
  readonly active: boolean;
  readonly status: 'none' | 'pending' | 'active' | 'suspended';
  readonly platformAdmin?: boolean;
}

const BOTH = [true, false] as const;
/** Console apps have one policy. */
const APP_KINDS: AppKind[] = BOTH.flatMap((console) =>
  BOTH.flatMap((tenantOn) =>
    BOTH.flatMap((appOn) =>
      (console ? (['invite'] as const) : (['open', 'approval', 'invite'] as const)).flatMap((policy) =>
        BOTH.flatMap((password) =>
          BOTH.map((require2fa) => ({ console, tenantOn, appOn, policy, password, require2fa })),
        ),
      ),
    ),
  ),
);
const USER_KINDS: UserKind[] = [
  ...BOTH.flatMap((active) =>
    (['none', 'pending', 'active', 'suspended'] as const).map((status) => ({ active, status })),
  ),
  { active: true, status: 'none', platformAdmin: true },
  { active: true, status: 'pending', platformAdmin: true },
];

const nameOf = (kind: AppKind): string =>
  [
    kind.console ? 'a Console app' : `an app with registration policy ${kind.policy}`,
    kind.appOn ? 'on' : 'off',
    kind.tenantOn ? 'tenant on' : 'tenant off',
    kind.password ? 'with passwords' : 'with sign-in links only',
    kind.require2fa ? 'second factor required' : 'no second factor required',
  ].join(', ');

describe('GET /admin/users/{user_id}/access-check', () => {
  let database: TestDatabase;
  let service: TestApp;
  let world: World;
  const apps = new Map<AppKind, { id: string; redirectUri: string }>();
  const users = new Map<UserKind, TestUser>();

  beforeAll(async () => {
    database = await freshDatabase();
    // Without rate limits: hundreds of sign-ins fail.
    service = await startTestApp({
      settings: { databaseUrl: database.url, rateLimits: { enabled: false, overrides: {} } },
    });
    world = await World.open(service.baseUrl, database.url);
    for (const kind of APP_KINDS) apps.set(kind, await makeApp(kind));
    for (const kind of USER_KINDS) users.set(kind, await makeUser(kind));
  });

  afterAll(async () => {
    await world.close();
    await service.close();
    await database.drop();
  });

  const tenants = new Map<boolean, Awaited<ReturnType<World['tenant']>>>();

  /** Creates with SQL the states that the admin API prevents. */
  async function makeApp(kind: AppKind): Promise<{ id: string; redirectUri: string }> {
    const providers = kind.password ? ['password'] : ['magic_link'];
    const config = { allowed_providers: providers, require_2fa: kind.require2fa };
    const shared = tenants.get(kind.tenantOn);
    const tenant = shared && !kind.console ? shared : await world.tenant();
    if (!kind.console) tenants.set(kind.tenantOn, tenant);
    const app = kind.console
      ? { id: tenant.consoleAppId, redirectUri: `${world.baseUrl}/console/callback` }
      : await world.app(tenant, { registration_policy: kind.policy, config });
    await world.sql(`UPDATE apps SET is_active = $2, config = config || $3::jsonb WHERE id = $1`, [
      app.id,
      kind.appOn,
      JSON.stringify(config),
    ]);
    await world.sql('UPDATE tenants SET is_active = $2 WHERE id = $1', [tenant.id, kind.tenantOn]);
    return app;
  }

  async function makeUser({ active, status, platformAdmin }: UserKind): Promise<TestUser> {
    const user = await world.user(undefined, { is_platform_admin: platformAdmin ?? false });
    await world.sql('UPDATE users SET is_active = $2 WHERE id = $1', [user.id, active]);
    if (status !== 'none') {
      const ids = [...apps.values()].map(({ id }) => id);
      await world.sql(
        `INSERT INTO enrollments (user_id, app_id, roles, status) SELECT $1, unnest($2::uuid[]), '{user}', $3`,
        [user.id, ids, status],
      );
    }
    return user;
  }

  const check = (user: { id: string }, app: { id: string }) =>
    world.asAdmin<Check>('GET', `/admin/users/${user.id}/access-check?app_id=${app.id}`);
  const verdictOf = ({ rules }: Check, name: string) => rules.find(({ rule }) => rule === name)?.verdict;
  const failing = ({ rules }: Check) => rules.filter(({ verdict }) => verdict === 'fail').map(({ rule }) => rule);

  /** Whether the browser is redirected to the app with a code. */
  async function isDelivered(browser: HostedBrowser, start: string | null, app: { redirectUri: string }) {
    let location = start;
    for (let hops = 0; location?.startsWith('/') && hops < 5; hops++) location = (await browser.get(location)).location;
    return location?.startsWith(`${app.redirectUri}?`) === true && new URL(location).searchParams.has('code');
  }

  /** Posts the password to the sign-in attempt, even if the page does not ask for it. */
  async function entersByPassword(app: { id: string; redirectUri: string }, user: TestUser): Promise<boolean> {
    const browser = new HostedBrowser(world.baseUrl);
    const page = await browser.get(loginPath(app));
    if (page.status !== 200) return false;
    const action = page.formAction().replace(/\/[a-z_]+$/, '/password');
    const fields = { form_token: page.formToken(), email: user.email, password: user.password };
    return isDelivered(browser, (await browser.post(action, fields)).location, app);
  }

  /** Signs in with a link made in code, even if the app would not have sent one. */
  async function entersByLink(app: { id: string; redirectUri: string }, member: TestUser): Promise<boolean> {
    const get = <T>(type: new (...given: never[]) => T) => service.nest.get<T>(type, { strict: false });
    const user = await get(UsersService).get(member.id);
    const client = await get(AppDirectory).find(app.id);
    const asked = { purpose: 'app', redirectUri: app.redirectUri, state: null, codeChallenge: null, deviceId: null };
    const request = { ...asked, openid: false, scope: null, nonce: null, loginHint: null, prompt: null, maxAge: null };
    const link = await get(Transactions).run((tx) =>
      get(MailLinksService).make(tx, 'magic_link', user, client, request),
    );
    const browser = new HostedBrowser(world.baseUrl);
    const token = new URL(link).searchParams.get('token')!;
    return isDelivered(browser, (await browser.useMagicLink(token)).location, app);
  }

  it('is tested in every combination of app and user', () => {
    expect(APP_KINDS.length * USER_KINDS.length).toBe((48 + 16) * 10);
  });

  describe.each(APP_KINDS.map((kind) => [nameOf(kind), kind] as const))('for %s', (_, kind) => {
    it('agrees with every sign-in method for every kind of user', async () => {
      const app = apps.get(kind)!;
      for (const userKind of USER_KINDS) {
        const user = users.get(userKind)!;
        const checked = await check(user, app);
        const byPassword = verdictOf(checked, 'password') === 'pass';
        const byLink = verdictOf(checked, 'magic_link') === 'pass';
        const mayEnter = failing(checked).every((rule) => rule === 'password' || rule === 'magic_link');
        const hosted = await entersByPassword(app, user);
        const linked = await entersByLink(app, user);
        const json = (await world.login(user, app.id)).status === 200;
        expect([userKind, { json, hosted, linked }]).toEqual([
          userKind,
          { json: mayEnter && byPassword, hosted: mayEnter && byPassword, linked: mayEnter && byLink },
        ]);
        expect([userKind, checked.allowed, failing(checked)]).toEqual([
          userKind,
          hosted || linked,
          checked.allowed ? [] : expect.arrayContaining([expect.any(String)]),
        ]);
        expect([byPassword, byLink]).toEqual([kind.password, !kind.password]);
      }
    });
  });

  it('lists every failing rule, not only the first', async () => {
    const kind = APP_KINDS.find((each) => !each.console && !each.tenantOn && !each.appOn && each.require2fa)!;
    const user = users.get(USER_KINDS.find((each) => !each.active && each.status === 'none')!)!;
    const checked = await check(user, apps.get(kind)!);
    expect(failing(checked)).toEqual([
      'user_active',
      'app_active',
      'tenant_active',
      'enrolled',
      'second_factor_set_up',
    ]);
    for (const { explanation } of checked.rules) expect(explanation).toMatch(/^[A-Z].*\.$/);
  });

  it('changes nothing and counts no attempt', async () => {
    const [app, user] = [apps.get(APP_KINDS[0]!)!, users.get(USER_KINDS[0]!)!];
    const before = await world.sql('SELECT count(*) FROM audit_entries');
    const answers = await Promise.all([check(user, app), check(user, app)]);
    expect(answers[0]).toEqual(answers[1]);
    expect(await world.sql('SELECT count(*) FROM audit_entries')).toEqual(before);
  });
});
