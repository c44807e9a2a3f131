import { createHash, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { AppDirectory } from '../../../src/apps/directory/app-directory.js';
import { Transactions } from '../../../src/database/transactions.js';
import { type AdmissionFacts, judgeAdmission } from '../../../src/enrollment/admission/admission.rules.js';
import { EnrollmentService } from '../../../src/enrollment/memberships/enrollment.service.js';
import type { EnrollmentStatus } from '../../../src/enrollment/enrollments/enrollment.entity.js';
import { EntryCache } from '../../../src/enrollment/memberships/entry-cache.js';
import { DeliveriesRepository } from '../../../src/push/deliveries/deliveries.repository.js';
import { NotificationsRepository } from '../../../src/push/notifications/notifications.repository.js';
import { ActiveGrantsRepository } from '../../../src/tokens/grants/revocation/active-grants.repository.js';
import { RefreshTokensRepository } from '../../../src/tokens/grants/refresh/refresh-tokens.repository.js';
import { RefreshTokensService } from '../../../src/tokens/grants/refresh/refresh-tokens.service.js';
import { startTestApp, type TestApp } from '../../support/test-app.js';
import { freshDatabase, type TestDatabase } from '../../support/test-database.js';
import { World } from '../../support/world.js';

const BOTH = [true, false] as const;
const STATUSES = [null, 'active', 'pending', 'suspended'] as const;
/** Which sign-ins have ended since: none, all of the user, or those of the user in the app. */
const ENDED = ['nothing', 'user', 'enrollment'] as const;

/** A user and an app, with every fact that decides whether the user is admitted to the app. */
interface Case {
  readonly userId: string;
  readonly tenantId: string;
  readonly appId: string;
  readonly userIsActive: boolean;
  readonly emailVerified: boolean;
  readonly appIsOn: boolean;
  readonly tenantIsOn: boolean;
  readonly wantsVerifiedEmail: boolean;
  readonly status: EnrollmentStatus | null;
  readonly ended: (typeof ENDED)[number];
  /** The app is a client that has registered itself. */
  readonly isSelfRegistered: boolean;
  /** In an app that operators of its tenant have made, the user is active, or suspended. */
  readonly isOfTenant: boolean;
  readonly operatedAppId: string;
}

function everyCase(): Case[] {
  const apps = BOTH.flatMap((tenantIsOn) => {
    const tenantId = randomUUID();
    return BOTH.flatMap((appIsOn) =>
      BOTH.map((wantsVerifiedEmail) => ({ tenantId, tenantIsOn, appId: randomUUID(), appIsOn, wantsVerifiedEmail })),
    );
  });
  const users = BOTH.flatMap((userIsActive) =>
    BOTH.flatMap((emailVerified) =>
      STATUSES.flatMap((status) =>
        ENDED.filter((ended) => status !== null || ended !== 'enrollment').map((ended) => {
          return { userIsActive, emailVerified, status, ended };
        }),
      ),
    ),
  );
  const operated = { isSelfRegistered: false, isOfTenant: true, operatedAppId: randomUUID() };
  const selfRegistered = { tenantId: randomUUID(), tenantIsOn: true, appIsOn: true, wantsVerifiedEmail: false };
  const ids = { appId: randomUUID(), operatedAppId: randomUUID() };
  return [
    ...apps.flatMap((app) => users.map((user) => ({ ...app, ...operated, ...user, userId: randomUUID() }))),
    ...BOTH.flatMap((isOfTenant) =>
      users.map((user) => {
        const app = { ...selfRegistered, ...ids, isSelfRegistered: true, isOfTenant };
        return { ...app, ...user, userId: randomUUID() };
      }),
    ),
  ];
}

const factsOf = (each: Case): AdmissionFacts => ({
  userIsActive: each.userIsActive,
  appIsOn: each.appIsOn,
  tenantIsOn: each.tenantIsOn,
  enrollment: each.status && { status: each.status },
  emailMissing: each.wantsVerifiedEmail && !each.emailVerified,
  isOutsider: each.isSelfRegistered && !each.isOfTenant,
  console: null,
});
const mayEnter = (each: Case) => judgeAdmission(factsOf(each)) === 'admitted';
const mayGoOn = (each: Case) => mayEnter(each) && each.ended === 'nothing';
/** The user's id is also the refresh token. */
const tokenHash = ({ userId }: Case) => createHash('sha256').update(userId).digest();

/** Rows of every case; tokens were issued an hour ago, and ended sign-ins ended half an hour ago. */
const ROWS = [
  `INSERT INTO tenants SELECT DISTINCT ON (c."tenantId") (jsonb_populate_record(t, jsonb_build_object('id', c."tenantId",
     'slug', 'case-' || c."tenantId", 'is_active', c."tenantIsOn", 'is_platform', false))).* FROM cases c, old_tenant t`,
  `INSERT INTO apps SELECT DISTINCT ON (c."appId") (jsonb_populate_record(a, jsonb_build_object('id', c."appId",
     'tenant_id', c."tenantId", 'bundle_id', 'case.' || c."appId", 'is_active', c."appIsOn",
     'push_enabled', NOT c."isSelfRegistered", 'origin', CASE WHEN c."isSelfRegistered" THEN 'metadata_document' ELSE 'operator' END,
     'service_scopes', '{}'::text[], 'config', a.config || jsonb_build_object('require_verified_email', c."wantsVerifiedEmail",
       'available_roles', '{user}'::text[], 'auto_assign_roles', '{user}'::text[],
       'client_type', CASE WHEN c."isSelfRegistered" THEN 'public' END)))).* FROM cases c, old_app a`,
  `INSERT INTO apps SELECT DISTINCT ON (c."operatedAppId") (jsonb_populate_record(a, jsonb_build_object('id', c."operatedAppId",
     'tenant_id', c."tenantId", 'bundle_id', 'operated.' || c."tenantId"))).* FROM cases c, old_app a WHERE c."isSelfRegistered"`,
  `INSERT INTO users (id, email, email_canonical, display_name, is_active, email_verified, tokens_valid_from)
   SELECT c."userId", c."userId" || '@example.com', c."userId" || '@example.com', 'Ada', c."userIsActive",
     c."emailVerified", now() - CASE c.ended WHEN 'user' THEN interval '30 minutes' ELSE interval '2 hours' END FROM cases c`,
  `INSERT INTO enrollments (user_id, app_id, roles, status, tokens_valid_from)
   SELECT c."userId", c."appId", '{user}', c.status,
     now() - CASE c.ended WHEN 'enrollment' THEN interval '30 minutes' ELSE interval '2 hours' END
   FROM cases c WHERE c.status IS NOT NULL`,
  `INSERT INTO enrollments (user_id, app_id, roles, status)
   SELECT c."userId", c."operatedAppId", '{user}', CASE WHEN c."isOfTenant" THEN 'active' ELSE 'suspended' END
   FROM cases c WHERE c."isSelfRegistered"`,
  `INSERT INTO consents (user_id, app_id, resource, scopes, asked) SELECT c."userId", c."appId", '', '{}', '{}' FROM cases c
   WHERE c."isSelfRegistered"`,
  `INSERT INTO refresh_families (id, user_id, app_id, scope, auth_time, amr, expires_at, created_at)
   SELECT c."userId", c."userId", c."appId", 'openid', now() - interval '1 hour', '{pwd}', now() + interval '1 day',
     now() - interval '1 hour' FROM cases c`,
  `INSERT INTO refresh_tokens (token_hash, family_id, expires_at)
   SELECT sha256(c."userId"::text::bytea), c."userId", now() + interval '1 day' FROM cases c`,
  `INSERT INTO notifications (id, app_id, user_id, title, body, ttl, expires_at, device_count, status)
   SELECT c."userId", c."appId", c."userId", 'Hello', '', 3600, now() + interval '1 hour', 1, 'queued' FROM cases c`,
  // Due when their test asks for them: the service would take them before.
  `INSERT INTO notification_deliveries (id, notification_id, app_id, device_id, platform, next_attempt_at)
   SELECT c."userId", c."userId", c."appId", gen_random_uuid(), 'android', now() + interval '1 hour' FROM cases c`,
];
const CASES = `CREATE TEMPORARY TABLE cases AS SELECT * FROM jsonb_to_recordset($1::jsonb) AS c("userId" uuid,
  "tenantId" uuid, "appId" uuid, "userIsActive" bool, "emailVerified" bool, "appIsOn" bool, "tenantIsOn" bool,
  "wantsVerifiedEmail" bool, status text, ended text,
  "isSelfRegistered" bool, "isOfTenant" bool, "operatedAppId" uuid)`;

describe('Admission of a user to an app, for every combination of facts', () => {
  const cases = everyCase();
  const operatedCases = cases.filter((each) => !each.isSelfRegistered);
  let database: TestDatabase;
  let service: TestApp;

  beforeAll(async () => {
    database = await freshDatabase();
    service = await startTestApp({ settings: { databaseUrl: database.url } });
    const world = await World.open(service.baseUrl, database.url);
    const { id: appId } = await world.app(await world.tenant());
    await service.nest.get(Transactions, { strict: false }).run(async (tx) => {
      await tx.query(CASES, [JSON.stringify(cases)]);
      await tx.query(`CREATE TEMPORARY TABLE old_app ON COMMIT DROP AS SELECT * FROM apps WHERE id = '${appId}'`);
      await tx.query(
        `CREATE TEMPORARY TABLE old_tenant ON COMMIT DROP AS SELECT t.* FROM tenants t JOIN old_app ON tenant_id = t.id`,
      );
      for (const rows of ROWS) await tx.query(rows);
      await tx.query('DROP TABLE cases');
    });
    await world.close();
  });

  afterAll(async () => {
    await service.close();
    await database.drop();
  });

  const get = <T>(type: new (...args: never[]) => T): T => service.nest.get<T>(type, { strict: false });
  const makeDue = (appId: string) =>
    get(Transactions).run((tx) =>
      tx.query('UPDATE notification_deliveries SET next_attempt_at = now() WHERE app_id = $1', [appId]),
    );
  /** Those that can notify: a client that has registered itself never can. */
  const appIds = () => [...new Set(operatedCases.map((each) => each.appId))];
  /** As texts, so that a difference is readable. */
  const listOf = (those: readonly Case[]) =>
    those.map(({ userId: _u, tenantId: _t, appId: _a, ...facts }) => JSON.stringify(facts)).sort();
  const expectThose = (found: (each: Case) => boolean, wanted: (each: Case) => boolean) => {
    expect(cases.some(wanted)).toBe(true);
    expect(listOf(cases.filter(found))).toEqual(listOf(cases.filter(wanted)));
  };
  async function these(ask: (each: Case) => Promise<boolean>): Promise<(each: Case) => boolean> {
    const found = new Set<Case>();
    for (const each of cases) if (await ask(each)) found.add(each);
    return (each) => found.has(each);
  }

  it('decides each sign-in by the admission rules', async () => {
    const entered = await these(async ({ userId, userIsActive, appId }) => {
      const client = (await get(AppDirectory).findOfAnyOrigin(appId))!;
      return (
        (await get(EnrollmentService).admit({ id: userId, isActive: userIsActive }, client)).admission === 'admitted'
      );
    });
    expectThose(entered, mayEnter);
  });

  it('decides each access token check by the admission rules and the time of the sign-in', async () => {
    const hourAgoMs = Date.now() - 3_600_000;
    const admitted = await these(
      async ({ userId, appId }) => (await get(EntryCache).admission(userId, appId, hourAgoMs)) === 'admitted',
    );
    expectThose(admitted, mayGoOn);
  });

  it('decides each refresh token introspection by the admission rules and the time of the sign-in', async () => {
    const alive = await these(
      async ({ userId, appId }) => (await get(RefreshTokensService).findAlive(userId, appId)) !== null,
    );
    expectThose(alive, mayGoOn);
  });

  it('decides each refresh token rotation by the admission rules and the time of the sign-in', async () => {
    const rotated = await these(async (each) => {
      const childHash = createHash('sha256').update(tokenHash(each)).digest();
      const one = {
        tokenHash: tokenHash(each),
        childHash,
        appId: each.appId,
        ...{ deviceId: null, admitted: false, jkt: null },
      };
      return (await get(RefreshTokensRepository).rotate([one])).length === 1;
    });
    expectThose(rotated, mayGoOn);
  });

  it('leaves ended sign-ins and suspended enrollments out of a user’s list of sessions', async () => {
    const open = await these(async ({ userId }) => (await get(ActiveGrantsRepository).list(userId, 10)).length === 1);
    expectThose(open, ({ status, ended }) => ended === 'nothing' && (status === null || status === 'active'));
  });

  it('decides by the admission rules which users an app can notify', async () => {
    const reachable = await these(async ({ appId, userId, isSelfRegistered }) => {
      if (isSelfRegistered) return false;
      const audience = await get(Transactions).run((tx) =>
        get(NotificationsRepository).readAudience(tx, appId, [userId]),
      );
      return audience.missing === null;
    });
    expectThose(reachable, (each) => !each.isSelfRegistered && mayEnter(each));
  });

  it('decides by the admission rules whether a queued notification is delivered', async () => {
    const delivered = new Set<string>();
    for (const appId of appIds()) {
      await makeDue(appId);
      for (const { userId, isAdmitted } of (await get(DeliveriesRepository).lease(appId, 1_000, 60)).leased)
        if (isAdmitted) delivered.add(userId);
    }
    expectThose(
      ({ userId }) => delivered.has(userId),
      (each) => !each.isSelfRegistered && mayEnter(each),
    );
  });
});
