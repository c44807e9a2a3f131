import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { AppDirectory, type RegisteredClient } from '../../../src/apps/directory/app-directory.js';
import { demandsTwoFactors } from '../../../src/apps/settings/required-factors.rules.js';
import { DEMANDS_TWO_FACTORS, REQUIRES_VERIFIED_EMAIL } from '../../../src/apps/settings/sign-in-rules.sql.js';
import { PasskeysRepository } from '../../../src/auth/credentials/passkeys/stored/passkeys.repository.js';
import { entrantOf, type SignInSettings } from '../../../src/auth/entry/entrant-of-row.js';
import { EntrantsRepository, NO_APP } from '../../../src/auth/entry/entrants.repository.js';
import { startTestApp, type TestApp } from '../../support/test-app.js';
import { freshDatabase, type TestDatabase } from '../../support/test-database.js';
import { World } from '../../support/world.js';

const BOTH = [true, false] as const;
const HOST = 'localhost';
const STATES = ['active', 'off', 'archived'] as const;
const RULES = {
  none: {},
  second_factor: { require_2fa: true },
  passkeys: { allowed_providers: ['passkey'] },
  verified_email: { require_verified_email: true },
} as const;
const RULE_NAMES = Object.keys(RULES) as (keyof typeof RULES)[];

interface AppCase {
  readonly id: string;
  readonly tenantId: string;
  readonly state: (typeof STATES)[number];
  readonly origin: 'operator' | 'metadata_document';
  readonly rules: Record<string, unknown>;
}

/** A tenant for each combination: a self-registered client with stored rules, and two apps or none. */
function everyTenant(): { readonly client: AppCase; readonly apps: readonly AppCase[] }[] {
  const states = STATES.flatMap((one) => STATES.map((other) => [one, other] as const));
  const rules = RULE_NAMES.flatMap((one) => RULE_NAMES.map((other) => [one, other] as const));
  const tenants = states.flatMap((state) => rules.map((rule) => ({ state, rule })));
  return [null, ...tenants].flatMap((operated) =>
    (['none', 'second_factor'] as const).map((stored) => {
      const tenantId = randomUUID();
      const client = {
        id: randomUUID(),
        tenantId,
        state: 'active',
        origin: 'metadata_document',
        rules: RULES[stored],
      } as const;
      const apps = [0, 1].flatMap((each) =>
        operated
          ? [
              {
                ...client,
                id: randomUUID(),
                origin: 'operator' as const,
                state: operated.state[each]!,
                rules: RULES[operated.rule[each]!],
              },
            ]
          : [],
      );
      return { client, apps };
    }),
  );
}

const CASES = `jsonb_to_recordset($1::jsonb) AS c(id uuid, "tenantId" uuid, state text, origin text, rules jsonb)`;
const TENANTS = `INSERT INTO tenants SELECT (jsonb_populate_record(t, jsonb_build_object('id', c."tenantId",
    'slug', 'case-' || c."tenantId", 'is_platform', false))).*
  FROM (SELECT DISTINCT "tenantId" FROM ${CASES}) c, tenants t WHERE t.id = $2`;
const APPS = `INSERT INTO apps SELECT (jsonb_populate_record(a, jsonb_build_object('id', c.id, 'tenant_id', c."tenantId",
    'bundle_id', 'case.' || c.id, 'origin', c.origin, 'is_active', c.state = 'active', 'push_enabled', false,
    'archived_at', CASE WHEN c.state = 'archived' THEN now() END, 'service_scopes', '{}'::text[],
    'config', a.config || c.rules || '{"available_roles": ["user"], "auto_assign_roles": ["user"], "client_type": "public"}'))).*
  FROM ${CASES}, apps a WHERE a.id = $2`;

describe('Two factors that an app demands, in SQL, at the sign-in and in previews', () => {
  let database: TestDatabase;
  let service: TestApp;
  let world: World;

  beforeAll(async () => {
    database = await freshDatabase();
    service = await startTestApp({ settings: { databaseUrl: database.url } });
    world = await World.open(service.baseUrl, database.url);
  });

  afterAll(async () => {
    await world.close();
    await service.close();
    await database.drop();
  });

  const get = <T>(type: new (...args: never[]) => T): T => service.nest.get<T>(type, { strict: false });
  const clientOf = async (id: string): Promise<RegisteredClient> => (await get(AppDirectory).findOfAnyOrigin(id))!;

  it('are the same for every self-registered client, whatever apps its tenant has', async () => {
    const tenants = everyTenant();
    const model = await world.app(await world.tenant(), { config: { allowed_providers: ['password', 'passkey'] } });
    const rows = JSON.stringify(tenants.flatMap(({ client, apps }) => [client, ...apps]));
    await world.sql(TENANTS, [rows, model.tenantId]);
    await world.sql(APPS, [rows, model.id]);
    const inSql = await world.sql<{ id: string; demands: boolean; verified: boolean }>(
      `SELECT a.id, ${DEMANDS_TWO_FACTORS} AS demands, ${REQUIRES_VERIFIED_EMAIL} AS verified
       FROM apps a JOIN tenants t ON t.id = a.tenant_id WHERE a.bundle_id LIKE 'case.%'`,
    );
    const found = new Map(inSql.map(({ id, ...rules }) => [id, rules]));
    const textOf = (apps: readonly AppCase[], rules: unknown) =>
      JSON.stringify([apps.map(({ state, rules: own }) => [state, own]), rules]);
    const [wanted, given]: [string[], string[]] = [[], []];
    for (const { client, apps } of tenants)
      for (const each of [client, ...apps]) {
        const read = await clientOf(each.id);
        wanted.push(
          textOf([each, ...apps], {
            demands: demandsTwoFactors(read),
            verified: read.app.config.require_verified_email,
          }),
        );
        given.push(textOf([each, ...apps], found.get(each.id)));
      }
    expect(wanted.length).toBeGreaterThan(800);
    expect(new Set(inSql.map(({ demands, verified }) => `${demands} ${verified}`)).size).toBe(4);
    expect(given).toEqual(wanted);
  });

  it('guard the account of a user with the same memberships in a preview', async () => {
    const plain = await world.tenant();
    const strict = await world.tenant({ require_2fa: true });
    const apps = {
      plain: (await world.app(plain)).id,
      'with the rule': (await world.app(plain, { config: { require_2fa: true } })).id,
      'of a tenant with the rule': (await world.app(strict)).id,
      Console: plain.consoleAppId,
      'Console of the platform': world.platformConsoleId,
    };
    const kinds = [null, ...(Object.keys(apps) as (keyof typeof apps)[])];
    const users = kinds.flatMap((kind) =>
      BOTH.flatMap((isPlatformAdmin) =>
        (kind === null ? [null] : (['active', 'pending', 'suspended'] as const)).flatMap((status) =>
          (kind === null ? [null] : (['user', 'admin', 'manager'] as const)).map((role) => {
            return { id: randomUUID(), kind, appId: kind && apps[kind], isPlatformAdmin, status, role };
          }),
        ),
      ),
    );
    const rows = [JSON.stringify(users)];
    const each = `jsonb_to_recordset($1::jsonb) AS c(id uuid, "appId" uuid, "isPlatformAdmin" bool, status text, role text)`;
    await world.sql(
      `INSERT INTO users (id, email, email_canonical, display_name, is_platform_admin)
       SELECT id, id || '@example.com', id || '@example.com', 'Ada', "isPlatformAdmin" FROM ${each}`,
      rows,
    );
    await world.sql(
      `INSERT INTO enrollments (user_id, app_id, roles, status)
       SELECT id, "appId", ARRAY(SELECT DISTINCT unnest(ARRAY['user', role])), status FROM ${each} WHERE "appId" IS NOT NULL`,
      rows,
    );
    await world.sql(
      `INSERT INTO passkeys (id, user_id, rp_id, credential_id, public_key, sign_count, aaguid, transports, is_synced, is_backed_up)
       SELECT gen_random_uuid(), id, '${HOST}', decode(md5(id::text), 'hex'), '', 0, gen_random_uuid(), '{}', true, true FROM ${each}`,
      rows,
    );
    const guarded = new Set<string>();
    for (const byPlatform of BOTH) {
      await world.sql('UPDATE tenants SET require_2fa = $1 WHERE is_platform', [byPlatform]);
      await get(AppDirectory).catchUp();
      const clients = new Map<string, RegisteredClient>();
      for (const id of Object.values(apps)) clients.set(id, await clientOf(id));
      const platformConsole = await get(AppDirectory).findPlatformConsole();
      const read = await get(EntrantsRepository).list(
        NO_APP,
        users.map(({ id }) => id),
        { after: null, limit: 500 },
      );
      for (const requireAdmin2fa of BOTH) {
        const settings: SignInSettings = {
          clientOf: (id) => clients.get(id) ?? null,
          platformConsole,
          providers: [],
          passkeyHost: HOST,
          requireAdmin2fa,
        };
        for (const user of users) {
          const row = read.find(({ userId }) => userId === user.id)!;
          const atSignIn = await get(PasskeysRepository).isSecondFactor(user.id, HOST, requireAdmin2fa);
          const about = { ...user, id: '', appId: '', byPlatform, requireAdmin2fa };
          expect({ ...about, isGuarded: await entrantOf(row, settings).guardsAccount() }).toEqual({
            ...about,
            isGuarded: atSignIn,
          });
          if (atSignIn) guarded.add(JSON.stringify(about));
        }
      }
    }
    expect(guarded.size).toBeGreaterThan(100);
    expect(guarded.size).toBeLessThan(users.length * 4 - 50);
  });
});
