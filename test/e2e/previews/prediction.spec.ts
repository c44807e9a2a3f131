import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { AppDirectory, type RegisteredClient } from '../../../src/apps/directory/app-directory.js';
import { AppsService } from '../../../src/apps/directory/apps.service.js';
import type { RequestContext } from '../../../src/common/request-context.js';
import { ActPreviews } from '../../../src/previews/acts/act-previews.service.js';
import { passkeyAmr } from '../../../src/auth/credentials/passkeys/stored/passkey.rules.js';
import { EntryService } from '../../../src/auth/entry/entry.service.js';
import { NO_AUTHORITY } from '../../../src/common/actor.js';
import { type ChangePreview, ChangePreviews } from '../../../src/previews/changes/change-previews.service.js';
import { EFFECTS } from '../../../src/auth/entry/effect.rules.js';
import { TenantIsNotActive } from '../../../src/tenants/tenants.errors.js';
import { UsersService } from '../../../src/users/users.service.js';
import { FAKE_GOOGLE } from '../../support/fake-google.js';
import { passkeySettings } from '../../support/passkeys.js';
import { startTestApp, type TestApp } from '../../support/test-app.js';
import { freshDatabase, type TestDatabase } from '../../support/test-database.js';
import { type TestTenant, World } from '../../support/world.js';

// Thousands of sign-ins are judged one by one.
jest.setTimeout(120_000);

const USERS = 40;
const CHANGES = 25;
const ACTS = 10;
/** More than that are counted. */
const NAMED = 50;
const PAST_WAYS = [['pwd'], ['pwd', 'otp', 'mfa'], ['email']];
const FEW_ROLES = ['user', 'manager'];
const ALL_ROLES = [...FEW_ROLES, 'admin'];
const MODELS = ['adce0002-35bc-c60a-648b-0b25f1f05503', '08987058-cadc-4b81-b6e1-30de50dcbe96'];
/** Sign-in goes on, and the pages help over the rest. */
const isIn = (verdict: string): boolean => ['enter', 'email_not_verified', 'second_factor_required'].includes(verdict);

/** Effects that the changes had. */
const seen = new Set<string>();

/** The same numbers in each run (mulberry32). */
function numbersFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** Settings and users at random, and changes at random: a preview says what sign-in does once the change is saved. */
describe.each([true, false])('Preview of a change, with REQUIRE_ADMIN_2FA=%s', (requireAdmin2fa) => {
  let database: TestDatabase;
  let saving: TestApp;
  let service: TestApp;
  let world: World;
  const apps: { id: string; tenant: TestTenant; isConsole: boolean }[] = [];
  const tenants: TestTenant[] = [];
  const random = numbersFrom(requireAdmin2fa ? 20 : 21);
  const rolesOffered = numbersFrom(22);
  const chance = (share: number): boolean => random() < share;
  const oneOf = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)]!;

  beforeAll(async () => {
    database = await freshDatabase();
    const settings = { databaseUrl: database.url, rateLimits: { enabled: false, overrides: {} } };
    // Changes are saved where administrators need no second factor.
    saving = await startTestApp({ settings });
    world = await World.open(saving.baseUrl, database.url);
    service = await startTestApp({
      settings: { ...settings, ...(await passkeySettings()), requireAdmin2fa, providers: FAKE_GOOGLE },
    });
    for (let count = 0; count < 2; count++) tenants.push(await world.tenant());
    for (const tenant of tenants) {
      apps.push({ id: tenant.consoleAppId, tenant, isConsole: true });
      for (let count = 0; count < 2; count++) apps.push({ id: (await world.app(tenant)).id, tenant, isConsole: false });
    }
    for (let count = 0; count < USERS; count++) await addUser();
  });

  afterAll(async () => {
    await world.close();
    await service.close();
    await saving.close();
    await database.drop();
  });

  async function addUser(): Promise<void> {
    const id = randomUUID();
    const email = `${id}@example.com`;
    await world.sql(
      `INSERT INTO users (id, email, email_canonical, display_name, email_verified, is_active, password_hash, totp_enabled_at)
       VALUES ($1, $2, $2, 'Ada', $3, $4, $5, $6)`,
      [id, email, chance(0.6), chance(0.9), chance(0.7) ? '$2b$04$x' : null, chance(0.3) ? new Date() : null],
    );
    for (const aaguid of MODELS.filter(() => chance(0.3)))
      await world.sql(
        `INSERT INTO passkeys (id, user_id, rp_id, credential_id, public_key, sign_count, aaguid, transports, is_synced, is_backed_up)
         VALUES (gen_random_uuid(), $1, $2, decode(replace(gen_random_uuid()::text, '-', ''), 'hex'), '\\x00', 0, $3, '{}', $4, false)`,
        [id, chance(0.9) ? 'localhost' : 'elsewhere.example', aaguid, chance(0.5)],
      );
    if (chance(0.3))
      await world.sql(
        `INSERT INTO linked_accounts (id, user_id, provider, subject) VALUES (gen_random_uuid(), $1, 'google', $2)`,
        [id, id],
      );
    for (const app of apps.filter(({ isConsole }) => chance(isConsole ? 0.4 : 0.6))) {
      const amr = PAST_WAYS[(await pastOf([app.id])).length % PAST_WAYS.length];
      await world.sql(
        `INSERT INTO audit_entries (id, action, actor_type, actor_id, user_id, tenant_id, app_id, metadata)
         VALUES (gen_random_uuid(), 'user.login', 'user', $1::text, $1::uuid, $2, $3, $4)`,
        [id, app.tenant.id, app.id, { via: 'hosted', amr }],
      );
      await world.sql(`INSERT INTO enrollments (user_id, app_id, roles, status) VALUES ($1, $2, $3, $4)`, [
        id,
        app.id,
        chance(0.3) ? ['user', 'admin'] : ['user'],
        oneOf(['active', 'active', 'active', 'pending', 'suspended']),
      ]);
    }
  }

  function randomConfig(isConsole: boolean): Record<string, unknown> {
    const providers = ['password', 'magic_link', 'passkey'].filter(() => chance(0.5));
    const config = {
      allowed_providers: providers.length > 0 ? providers : ['password'],
      require_2fa: chance(0.4),
      require_verified_email: chance(0.4),
    };
    const chosen = Object.entries(config).filter(() => chance(0.6));
    // Those of a Console app are fixed.
    const roles = isConsole ? [] : [['available_roles', rolesOffered() < 0.5 ? FEW_ROLES : ALL_ROLES] as const];
    return Object.fromEntries([...chosen, ...roles]);
  }

  /** A request that saves something at random. */
  function randomChange(): { path: string; method: string; body: Record<string, unknown>; appIds: string[] } {
    if (chance(0.6)) {
      const app = oneOf(apps);
      const isSwitched = !app.isConsole && chance(0.3);
      const body = { ...(isSwitched ? { is_active: chance(0.5) } : {}), config: randomConfig(app.isConsole) };
      return { path: `/admin/apps/${app.id}`, method: 'PUT', body, appIds: [app.id] };
    }
    const tenant = oneOf(tenants);
    const fields = {
      require_2fa: chance(0.5),
      passkey_aaguids: oneOf([null, [MODELS[0]], [MODELS[1]]]),
      is_active: chance(0.7),
    };
    const body = Object.fromEntries(Object.entries(fields).filter(() => chance(0.5)));
    const appIds = apps.filter((app) => app.tenant === tenant).map(({ id }) => id);
    return { path: `/admin/tenants/${tenant.id}`, method: 'PATCH', body, appIds };
  }

  function platformAdmin(): RequestContext {
    const { id: userId, email } = world.admin;
    const actor = {
      type: 'user' as const,
      userId,
      email,
      audience: '',
      viaApp: null,
      authority: { ...NO_AUTHORITY, platform: true },
    };
    return { requestId: 'r', ip: null, userAgent: null, actor };
  }

  async function previewOf({ path, body }: ReturnType<typeof randomChange>): Promise<ChangePreview | 'refused'> {
    const ctx = platformAdmin();
    const previews = service.nest.get(ChangePreviews, { strict: false });
    const id = path.split('/').at(-1)!;
    const of = path.startsWith('/admin/apps/') ? 'app' : 'tenant';
    const preview = previews.preview(ctx, { of, id, input: body }).then((found) => found!);
    return preview.catch((error: unknown) => {
      // An app is not switched on while its tenant is off.
      if (error instanceof TenantIsNotActive) return 'refused';
      throw error;
    });
  }

  interface Member {
    readonly userId: string;
    readonly appId: string;
    readonly ways: { readonly method: string; readonly amr: string[] }[];
    readonly secondFactors: string[][];
    readonly roles: readonly string[];
  }

  async function membersOf(appIds: readonly string[]): Promise<Member[]> {
    const rows = await world.sql<{
      user_id: string;
      app_id: string;
      has_password: boolean;
      has_totp: boolean;
      is_linked: boolean;
      passkeys: { aaguid: string; isSynced: boolean }[] | null;
      roles: string[];
    }>(
      `SELECT e.user_id, e.app_id, e.roles, u.password_hash IS NOT NULL AS has_password, u.totp_enabled_at IS NOT NULL AS has_totp,
         EXISTS (SELECT 1 FROM linked_accounts l WHERE l.user_id = u.id) AS is_linked,
         (SELECT json_agg(json_build_object('aaguid', p.aaguid, 'isSynced', p.is_synced) ORDER BY p.created_at, p.id)
           FROM passkeys p WHERE p.user_id = u.id AND p.rp_id = 'localhost') AS passkeys
       FROM enrollments e JOIN users u ON u.id = e.user_id WHERE e.app_id = ANY ($1)`,
      [appIds],
    );
    return rows.map((row) => {
      const passkeys = (row.passkeys ?? []).map((passkey) => passkeyAmr(passkey, { isUserVerified: true }));
      return {
        userId: row.user_id,
        appId: row.app_id,
        roles: row.roles,
        ways: [
          ...(row.has_password ? [{ method: 'password', amr: ['pwd'] }] : []),
          ...(row.is_linked ? [{ method: 'google', amr: ['fed', 'google'] }] : []),
          ...passkeys.map((amr) => ({ method: 'passkey', amr })),
          { method: 'magic_link', amr: ['email'] },
        ],
        secondFactors: [...(row.has_totp ? [['otp', 'mfa']] : []), ...passkeys],
      };
    });
  }

  /** Who governs the tenant, at the platform Console: where the change is one of the tenant or of its Console app. */
  async function holdersIn(appIds: readonly string[]): Promise<Member[]> {
    const console = apps.find(({ id, isConsole }) => isConsole && appIds.includes(id));
    if (!console) return [];
    const platform = (await service.nest.get(AppsService, { strict: false }).getPlatformConsole()).id;
    const held = await world.sql<{ user_id: string }>(
      `SELECT DISTINCT e.user_id FROM enrollments e JOIN apps a ON a.id = e.app_id
       WHERE a.tenant_id = $1 AND e.status = 'active' AND (a.is_console_app OR e.roles && ARRAY['admin', 'manager'])`,
      [console.tenant.id],
    );
    const everywhere = await membersOf(apps.filter(({ tenant }) => tenant === console.tenant).map(({ id }) => id));
    return held.map(({ user_id }) => ({
      ...everywhere.find(({ userId }) => userId === user_id)!,
      appId: platform,
      roles: [],
    }));
  }

  /** What the sign-in core answers, one member and one way after the other: the way that leads in, and its questions. */
  async function outcomeOf(member: Member): Promise<{ method: string | null; verdict: string; asked: boolean }> {
    const completion = service.nest.get(EntryService, { strict: false });
    const user = (await service.nest.get(UsersService, { strict: false }).find(member.userId))!;
    const client = (await clientOf(member.appId))!;
    for (const { method, amr } of member.ways) {
      let { verdict } = await completion.judge(user, client, amr);
      const asked = verdict === 'second_factor_due';
      for (const shown of asked ? member.secondFactors : []) {
        ({ verdict } = await completion.judge(user, client, [...amr, ...shown]));
        if (isIn(verdict)) break;
      }
      if (isIn(verdict)) return { method, verdict, asked };
    }
    return { method: null, verdict: 'shut out', asked: false };
  }

  function clientOf(appId: string): Promise<RegisteredClient | null> {
    return service.nest.get(AppDirectory, { strict: false }).find(appId);
  }

  function difference(
    before: Awaited<ReturnType<typeof outcomeOf>>,
    after: Awaited<ReturnType<typeof outcomeOf>>,
  ): string | null {
    if (after.method === null) return before.method === null ? null : 'shut_out';
    if (before.method === null) return 'let_in';
    if (after.verdict === 'email_not_verified' && before.verdict !== after.verdict) return 'verify_email';
    if (after.verdict === 'second_factor_required' && before.verdict !== after.verdict) return 'set_up_second_factor';
    if (after.asked && !before.asked) return 'second_factor';
    return after.method === before.method ? null : 'other_method';
  }

  function pastOf(appIds: readonly string[]): Promise<{ user_id: string; app_id: string; amr: string[] }[]> {
    return world.sql(
      `SELECT user_id, app_id, metadata -> 'amr' AS amr FROM audit_entries
       WHERE action = 'user.login' AND app_id = ANY ($1) AND metadata ->> 'via' = 'hosted' ORDER BY ordinal`,
      [appIds],
    );
  }

  /** What the sign-in core says to each sign-in of the past now. */
  async function verdictsOf(past: Awaited<ReturnType<typeof pastOf>>): Promise<string[]> {
    const completion = service.nest.get(EntryService, { strict: false });
    const verdicts: string[] = [];
    for (const { user_id, app_id, amr } of past) {
      const user = (await service.nest.get(UsersService, { strict: false }).find(user_id))!;
      verdicts.push((await completion.judge(user, (await clientOf(app_id))!, amr)).verdict);
    }
    return verdicts;
  }

  /** Which of the roles members can be given, by app. */
  async function offeredAt(appIds: readonly string[]): Promise<Map<string, readonly string[]>> {
    const entries = await Promise.all(
      appIds.map(async (id) => [id, (await clientOf(id))!.app.config.available_roles] as const),
    );
    return new Map(entries);
  }

  function differences(
    members: readonly Member[],
    before: readonly Awaited<ReturnType<typeof outcomeOf>>[],
    after: readonly Awaited<ReturnType<typeof outcomeOf>>[],
    withdrawn: ReadonlySet<string> = new Set(),
  ): Record<string, string[]> {
    const really = new Map<string, string[]>();
    for (const [index, { userId, appId, roles }] of members.entries()) {
      const keeps = roles.some((role) => withdrawn.has(`${appId} ${role}`)) ? 'role_withdrawn' : null;
      const effect = difference(before[index]!, after[index]!) ?? keeps;
      if (effect) really.set(effect, [...(really.get(effect) ?? []), `${userId} ${appId}`].sort());
    }
    for (const effect of really.keys()) seen.add(effect);
    return Object.fromEntries(
      [...really].map(([effect, who]) => [effect, who.length > NAMED ? [`${who.length}`] : who]),
    );
  }

  function predicted(effects: ChangePreview['effects']): Record<string, string[]> {
    return Object.fromEntries(
      effects.map(({ effect, count, users }) => [
        effect,
        count > NAMED ? [`${count}`] : users.map(({ userId, appId }) => `${userId} ${appId}`).sort(),
      ]),
    );
  }

  it('names exactly those whose next sign-in is another one', async () => {
    for (let number = 0; number < CHANGES; number++) {
      const change = randomChange();
      const members = [...(await membersOf(change.appIds)), ...(await holdersIn(change.appIds))];
      const before = await Promise.all(members.map(outcomeOf));
      const offered = await offeredAt(change.appIds);
      const past = await pastOf(change.appIds);
      const verdicts = await verdictsOf(past);
      const preview = await previewOf(change);
      if (preview === 'refused') continue;
      await world.asAdmin(change.method, change.path, change.body);
      await service.nest.get(AppDirectory, { strict: false }).catchUp();

      const after = await Promise.all(members.map(outcomeOf));
      const still = await offeredAt(change.appIds);
      const withdrawn = [...offered].flatMap(([appId, roles]) =>
        roles.filter((role) => !still.get(appId)!.includes(role)).map((role) => `${appId} ${role}`),
      );
      const said = `${number}: ${change.path} ${JSON.stringify(change.body)}`;
      const really = differences(members, before, after, new Set(withdrawn));
      expect([said, predicted(preview.effects)]).toEqual([said, really]);
      const now = await verdictsOf(past);
      const differing = now.filter((verdict, index) => verdict !== verdicts[index]).length;
      expect([said, preview.past.rules.reduce((sum, { count }) => sum + count, 0)]).toEqual([said, differing]);
      // No one is looked at where sign-in is not concerned.
      if (preview.members > 0) expect(preview.members).toBe(members.length);
    }
  });

  it('of an act names exactly those whose next sign-in is another one', async () => {
    const platform = (await service.nest.get(AppsService, { strict: false }).getPlatformConsole()).id;
    const previews = service.nest.get(ActPreviews, { strict: false });
    for (let number = 0; number < ACTS; number++) {
      const app = oneOf(apps);
      const chosen = (await membersOf([app.id])).filter(() => chance(0.4));
      const act = oneOf(['approve', 'suspend', 'reactivate', 'remove', 'set_roles'] as const);
      const roles = oneOf([['user'], ['user', 'manager']]);
      const userIds = chosen.map(({ userId }) => userId);
      const preview = await previews.ofMembers(
        platformAdmin(),
        app.id,
        act === 'set_roles' ? { act, userIds, roles } : { act, userIds },
      );
      const places = [...new Set([app.id, app.tenant.consoleAppId, platform])];
      const members = chosen.flatMap((member) => places.map((appId) => ({ ...member, appId, roles: [] })));
      const before = await Promise.all(members.map(outcomeOf));
      const refused = new Set(preview.refused.map(({ userId }) => userId));
      for (const userId of userIds) {
        const path = `/admin/users/${userId}`;
        const [method, where, body] = {
          approve: ['PUT', `${path}/apps/${app.id}/approve`, undefined],
          suspend: ['POST', `${path}/suspend`, { app_id: app.id }],
          reactivate: ['PUT', `${path}/apps/${app.id}/reactivate`, undefined],
          remove: ['DELETE', `${path}/apps/${app.id}`, undefined],
          set_roles: ['PUT', `${path}/roles`, { app_id: app.id, roles }],
        }[act] as [string, string, object | undefined];
        const { status } = await world.call(method, where, body, { token: world.admin.token });
        expect([where, status >= 400]).toEqual([where, refused.has(userId)]);
      }
      const really = differences(members, before, await Promise.all(members.map(outcomeOf)));
      expect([number, act, predicted(preview.effects)]).toEqual([number, act, really]);
    }
  });
});

describe('Preview of a change', () => {
  it('was tried with every effect', () => {
    expect([...seen].sort()).toEqual([...EFFECTS].sort());
  });
});
