import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { Client } from 'pg';
import { auditListQuery, auditTotalQuery } from '../../../src/audit/audit-list.query.js';
import { readCursor } from '../../../src/common/lists/page-cursor.js';
import { type Scope, WHOLE_SCOPE } from '../../../src/common/actor.js';
import { COUNT_FAILURES } from '../../../src/audit/statistics/audited-measures.js';
import { seriesQuery, TOTAL_SCOPE } from '../../../src/operations/statistics/statistics.repository.js';
import { requestPageQuery } from '../../../src/enrollment/requests/request-queue.query.js';
import { appsOfUsersQuery } from '../../../src/enrollment/users/apps-of-users.query.js';
import { mailCountQuery, mailPageQuery, mailQuery } from '../../../src/mail/log/mail-log.query.js';
import { INVITE_STATES, inviteCountQuery, invitePageQuery } from '../../../src/invites/list/invite-list.query.js';
import { usersCountQuery, usersPageQuery, usersPrefixQuery } from '../../../src/enrollment/users/user-list.query.js';
import { namedQuery } from '../../../src/enrollment/users/user-search.sql.js';
import { DeepPages } from '../../../src/database/queries/deep-pages.js';
import type { Query } from '../../../src/database/queries/query.js';
import type { Statements } from '../../../src/database/statements.js';
import { ACCOUNT_STATES, type AccountState, type UserState } from '../../../src/enrollment/users/user-state.js';
import { MAX_FOUND } from '../../../src/enrollment/users/visible-users.service.js';
import { Enrollment } from '../../../src/enrollment/enrollments/enrollment.entity.js';
import { EnrollmentsRepository } from '../../../src/enrollment/enrollments/enrollments.repository.js';
import { PushDevice } from '../../../src/push/devices/push-device.entity.js';
import { PushDevicesRepository } from '../../../src/push/devices/push-devices.repository.js';
import { NotificationDelivery } from '../../../src/push/notifications/notification-delivery.entity.js';
import { Notification } from '../../../src/push/notifications/notification.entity.js';
import { NotificationLog } from '../../../src/push/notifications/notification-log.service.js';
import { WEBHOOK_STATUSES, WebhookMessage } from '../../../src/push/webhooks/messages/webhook-message.entity.js';
import { WebhookMessagesRepository } from '../../../src/push/webhooks/messages/webhook-messages.repository.js';
import { VisibleUsersRepository } from '../../../src/enrollment/users/visible-users.repository.js';
import { ClientRegistration } from '../../../src/apps/app/client-registration.entity.js';
import { App } from '../../../src/apps/app/app.entity.js';
import { Tenant } from '../../../src/tenants/tenant.entity.js';
import { User } from '../../../src/users/user.entity.js';
import { loggedDataSource } from '../../support/logged-data-source.js';
import { FakeClock } from '../../support/fake-clock.js';
import { MANY, userNumber, seedMany, SMALL } from '../../support/many-rows.js';
import { vacuum } from '../../support/vacuum.js';
import { freshDatabase, type TestDatabase } from '../../support/test-database.js';

const USERS = 20_000;
const BIG_TABLES = [
  'users',
  'enrollments',
  'audit_entries',
  'daily_statistics',
  'mail_log',
  'passkeys',
  'invites',
  'push_devices',
  'notifications',
  'webhook_messages',
];
/** Users of the big app whose enrollment is pending. */
const SMALL_WAITING = 7;
/** 1,001 users for each of three parts of a scope, with three pages read by key for each user. */
const LOOKED_UP = 3 * 1_001 * 3 + 400;
const PAGE = { limit: 50, page: 1 };
const BIG = { everything: false, tenantIds: [MANY.bigTenant], appIds: [] };
const BIG_APP = { everything: false, tenantIds: [], appIds: [MANY.bigApp] };
const FEW = { everything: false, tenantIds: [MANY.smallTenant], appIds: [] };
const BOTH = { everything: false, tenantIds: [MANY.bigTenant, MANY.smallTenant], appIds: [MANY.bigApp] };
const STATES: readonly UserState[] = [
  'active',
  'pending',
  'suspended',
  ...(Object.keys(ACCOUNT_STATES) as AccountState[]),
];
const SCOPES: Readonly<Record<string, Scope>> = {
  'the platform': WHOLE_SCOPE,
  'a big tenant': BIG,
  'an app': BIG_APP,
  'a small tenant': FEW,
  'several scopes': BOTH,
};

interface Node {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly 'Shared Hit Blocks': number;
  readonly 'Shared Read Blocks': number;
  readonly Plans?: readonly Node[];
}

const PAGE_OF_EXPORT = { limit: 500, page: 1, cursor: null };

describe('Query plans with many users and a long audit log', () => {
  let database: TestDatabase;
  let client: Client;

  beforeAll(async () => {
    database = await freshDatabase();
    client = new Client({ connectionString: database.url });
    await client.connect();
    await seedMany(client, 0, USERS);
    await client.query(
      `UPDATE enrollments SET status = 'pending' WHERE user_id IN (SELECT md5('user' || i)::uuid
         FROM generate_series(1, ${SMALL_WAITING}) n, LATERAL (SELECT n * 2000 AS i) AS numbered)`,
    );
    await vacuum(client, 'enrollments');
    // Ten users with rare states; all others have no password and no verified email address.
    await client.query(
      `UPDATE users SET is_active = false, is_platform_admin = true, email_verified = true, totp_enabled_at = now(), password_hash = 'x'
       WHERE id IN (SELECT md5('user' || n * 2000)::uuid FROM generate_series(1, 10) n)`,
    );
    await vacuum(client, 'users');
  });

  afterAll(async () => {
    await client.end();
    await database.drop();
  });

  async function run({ text, values }: Query): Promise<Node> {
    const { rows } = await client.query<{ 'QUERY PLAN': [{ Plan: Node }] }>(
      `EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${text}`,
      values,
    );
    return rows[0]!['QUERY PLAN'][0].Plan;
  }
  async function seedMails(): Promise<void> {
    const { rowCount } = await client.query('SELECT FROM mail_log LIMIT 1');
    if (rowCount) return;
    await client.query(
      `INSERT INTO mail_log (id, template, recipient, user_id, app_id, tenant_id, state, smtp_status, created_at)
       SELECT u.id, CASE WHEN n % 3 = 0 THEN 'magic-link' ELSE 'approved' END, u.email, u.id, e.app_id, e.tenant_id,
         CASE WHEN n % 1000 = 0 THEN 'bounced' ELSE 'sent' END, CASE WHEN n % 1000 = 0 THEN 550 END, u.created_at
       FROM (SELECT *, row_number() OVER (ORDER BY created_at) AS n FROM users) AS u
       LEFT JOIN LATERAL (SELECT app_id, tenant_id FROM enrollments WHERE user_id = u.id LIMIT 1) AS e ON true`,
    );
    await vacuum(client, 'mail_log');
  }
  async function seedInvites(): Promise<void> {
    const { rowCount } = await client.query('SELECT FROM invites LIMIT 1');
    if (rowCount) return;
    await client.query(
      `INSERT INTO invites (id, app_id, code_hash, mailed_code_hash, code_sealed, roles, max_uses, use_count, email,
         email_canonical, created_at, expires_at)
       SELECT u.id, $1::uuid, sha256(u.id::text::bytea), sha256(('mailed' || u.id)::bytea), 'x', '{user}', 1,
         CASE WHEN n % 3 = 0 THEN 1 ELSE 0 END, u.email, u.email_canonical, u.created_at,
         CASE WHEN n % 100 = 1 THEN now() + interval '1 day' ELSE now() - interval '1 day' END
       FROM (SELECT *, row_number() OVER (ORDER BY created_at) AS n FROM users) AS u`,
      [MANY.bigApp],
    );
    await client.query('UPDATE invites SET max_uses = 0 WHERE use_count = 0 AND get_byte(code_hash, 0) < 50');
    await vacuum(client, 'invites');
  }
  /** As many as a search for what belongs to users means at most. */
  const aHundred = async () => {
    const numbered = `SELECT id, email FROM users, generate_series(0, $1 - 1) n WHERE id = md5('user' || n * 200 + 2)::uuid`;
    return (await client.query<{ id: string; email: string }>(numbered, [MAX_FOUND])).rows;
  };
  const hundred = async () => (await aHundred()).map(({ id }) => id);
  const hundredAddresses = async () => (await aHundred()).map(({ email }) => email);
  const all = (node: Node): Node[] => [node, ...(node.Plans ?? []).flatMap(all)];
  const readWhole = (plan: Node): string[] =>
    all(plan)
      .filter((node) => node['Node Type'].includes('Seq Scan') && BIG_TABLES.includes(node['Relation Name'] ?? ''))
      .map((node) => node['Relation Name']!);
  const pages = (plan: Node): number => plan['Shared Hit Blocks'] + plan['Shared Read Blocks'];
  /** Expects no sequential scan, and few pages read; the tables have hundreds. */
  async function expectFew(what: string, query: Query, most: number): Promise<Node> {
    const plan = await run(query);
    expect([what, readWhole(plan)]).toEqual([what, []]);
    expect([what, pages(plan) <= most ? 'few' : pages(plan)]).toEqual([what, 'few']);
    return plan;
  }

  it('are tested on tables that are large enough for an index', async () => {
    for (const table of BIG_TABLES.slice(0, 3)) {
      const { rows } = await client.query<{ pages: number }>(
        `SELECT pg_relation_size('${table}')::int / 8192 AS pages`,
      );
      expect([table, rows[0]!.pages > 90]).toEqual([table, true]);
    }
  });

  // performance: user list and search
  describe.each(Object.entries(SCOPES))('for the users of %s', (name, scope) => {
    it('list the first and the last page from an index', async () => {
      const oldest = await userNumber(client, SMALL);
      const first = await expectFew('first page', usersPageQuery({ scope, ...PAGE }), 400);
      expect(first['Actual Rows']).toBe(51);
      const last = await expectFew('by cursor', usersPageQuery({ scope, ...PAGE }, { after: oldest, skip: 0 }), 400);
      expect(last['Actual Rows']).toBeGreaterThanOrEqual(name === 'several scopes' ? 51 : 49);
      expect(pages(last)).toBeLessThanOrEqual(3 * pages(first) + 10);
    });

    it('count up to a limit', async () => {
      await expectFew('count', usersCountQuery({ scope, ...PAGE }, 1_001), 700);
    });

    it('find rare and common prefixes of email addresses', async () => {
      const middle = await userNumber(client, USERS / 2);
      for (const prefix of [middle.email.slice(0, -5), 'user', '', 'nobody', '%'])
        await expectFew(`prefix ${prefix}`, usersPrefixQuery(scope, prefix, 10), 700);
    });

    it('find rare and common parts of email addresses', async () => {
      const middle = await userNumber(client, USERS / 2);
      for (const search of [
        middle.email,
        middle.email.slice(3, 14),
        'mail.exa',
        'nobody-at-all',
        'user',
        `${middle.email.slice(4, 16)}@mail`,
        'us',
        `User ${USERS / 2}`,
        'Großmann',
        'user 1999 nobody',
        middle.id.slice(0, 8),
      ])
        await expectFew(`part ${search}`, usersPageQuery({ scope, ...PAGE, search }), 1_000);
    });
  });

  // docs/decisions/0042
  describe.each(Object.entries(SCOPES))('for a search of the users of %s by several words', (_, scope) => {
    it('ask the index whether they meet, and compare few users where they do', async () => {
      for (const search of ['User 1 2', 'us er', 'Anna Schmidt', `User ${USERS / 2}`, 'user 1']) {
        const query = namedQuery(search, 2_001)!;
        const asked = await run(query);
        expect([search, pages(asked) <= 400 ? 'few' : pages(asked)]).toEqual([search, 'few']);
        const named = (await client.query<{ id: string }>(query.text, query.values)).rows.map(({ id }) => id);
        if (named.length > 2_000) continue;
        await expectFew(search, usersPageQuery({ scope, ...PAGE, search, named }), 30 + 8 * named.length);
      }
    });

    it('compare no more users than they may', async () => {
      const within = 500;
      const compared = (filter: object) => usersPageQuery({ scope, ...PAGE, within, ...filter });
      for (const search of ['User 1 2', 'user 1']) await expectFew(search, compared({ search }), 4 * within);
      await expectFew('in an app', compared({ search: 'user nobody', appId: MANY.bigApp }), 4 * within);
      await expectFew('counted', usersCountQuery({ scope, ...PAGE, within, search: 'user 1' }, 1_001), 6 * within);
    });
  });

  it('compare the newest users where too many names fit, and go on behind them', async () => {
    const source = await loggedDataSource(database.url, [User], []);
    const users = new VisibleUsersRepository(source.getRepository(User), new DeepPages(new FakeClock()));
    const list = (cursor: string | null) =>
      users.list({
        scope: WHOLE_SCOPE,
        ...PAGE,
        search: 'down cut',
        cursor: cursor === null ? null : readCursor(cursor),
      });
    try {
      // Older than the others, and one more than are looked up one by one.
      await client.query(
        `INSERT INTO users (id, email, email_canonical, display_name, created_at)
         SELECT gen_random_uuid(), address, address, 'Cut Down', '2019-01-01'
         FROM generate_series(1, 2001) i, LATERAL (SELECT 'cut' || i || '@example.com' AS address) AS made`,
      );
      const first = await list(null);
      expect([first.users.length, first.total, first.isCut, first.isSortable]).toEqual([0, null, true, false]);
      const second = await list(first.next);
      expect([second.users.length, second.isCut]).toEqual([50, false]);
      await client.query(`DELETE FROM users WHERE email = 'cut1@example.com'`);
      const all = await list(null);
      expect([all.users.length, all.total, all.isCut]).toEqual([50, null, false]);
    } finally {
      await client.query(`DELETE FROM users WHERE display_name = 'Cut Down'`);
      await vacuum(client, 'users');
      await source.destroy();
    }
  });

  it('ask the index first for several or short words of a name', () => {
    const asked = (search: string) => namedQuery(search, 1)?.values[0] ?? null;
    expect([asked('ada lovelace'), asked('jean-luc'), asked('é')]).toEqual([
      ['ada', 'lovelace'],
      ['jean', 'luc'],
      ['é'],
    ]);
    expect([asked('lovelace'), asked('a@b'), asked('! ?')]).toEqual([null, null, null]);
  });

  it('search addresses only for a text that one may contain', () => {
    const asked = (search: string) => usersPageQuery({ scope: WHOLE_SCOPE, ...PAGE, search }).text;
    expect(asked('lovelace')).toMatch(/email_canonical LIKE .* OR .*display_name/);
    expect(asked('ada lovelace')).not.toContain('email_canonical');
    expect(asked('! ?')).toContain('WHERE false');
  });

  it.each(STATES)('list users in the state %s from an index in every scope', async (state) => {
    for (const [name, scope] of Object.entries(SCOPES)) {
      const filter = { scope, ...PAGE, state };
      await expectFew(`${state} of ${name}`, usersPageQuery(filter), 700);
      await expectFew(`${state} of ${name}, counted`, usersCountQuery(filter, 1_001), LOOKED_UP);
      await expectFew(
        `${state} of ${name}, in an app`,
        usersPageQuery({ ...filter, appId: scope === FEW ? MANY.smallApp : MANY.bigApp }),
        700,
      );
      await expectFew(`${state} of ${name}, searched`, usersPageQuery({ ...filter, search: 'user77' }), 1_000);
    }
  });

  it('filter by the state of the enrollments in scope, or of the account', async () => {
    const rows = async (state: UserState, scope: Scope) =>
      (await run(usersPageQuery({ scope, ...PAGE, state })))['Actual Rows'];
    expect(await rows('pending', BIG)).toBe(SMALL_WAITING);
    expect(await rows('pending', FEW)).toBe(0);
    expect([await rows('off', WHOLE_SCOPE), await rows('off', BIG), await rows('off', FEW)]).toEqual([10, 10, 0]);
    expect(await rows('active', BIG)).toBe(PAGE.limit + 1);
  });

  it('count the statistics of a day from indexes', async () => {
    const day = ['2020-01-05T00:00:00Z', '2020-01-06T00:00:00Z'];
    await expectFew('sign-ins', { text: COUNT_FAILURES, values: day }, 400);
    await client.query(
      'INSERT INTO daily_statistics SELECT gen_random_uuid(), current_date, $1, 1 FROM generate_series(1, 20000)',
      ['sign_ins'],
    );
    await vacuum(client, 'daily_statistics');
    await expectFew('series', { text: seriesQuery('day'), values: [[TOTAL_SCOPE, MANY.bigTenant], '2020-01-01'] }, 30);
  });

  it('list the users of one app from its index in every scope', async () => {
    for (const scope of [WHOLE_SCOPE, BIG, BIG_APP])
      await expectFew('app', usersPageQuery({ scope, ...PAGE, appId: MANY.bigApp }), 400);
    const foreign = await expectFew('foreign app', usersPageQuery({ scope: FEW, ...PAGE, appId: MANY.smallApp }), 400);
    expect(foreign['Actual Rows']).toBe(51);
  });

  it('find the detail of a user by key', async () => {
    const { id } = await userNumber(client, 2);
    const asked: Query[] = [];
    const source = await loggedDataSource(database.url, [User], asked);
    try {
      const users = new VisibleUsersRepository(source.getRepository(User), new DeepPages(new FakeClock()));
      asked.length = 0;
      for (const scope of Object.values(SCOPES)) await users.findVisible(id, scope);
      expect(asked).toHaveLength(Object.keys(SCOPES).length);
      for (const query of asked) await expectFew('detail', query, 40);
    } finally {
      await source.destroy();
    }
  });

  it('count the users of a small tenant from an index', async () => {
    const asked: Query[] = [];
    const source = await loggedDataSource(database.url, [Enrollment, App, ClientRegistration, User, Tenant], asked);
    try {
      const enrollments = new EnrollmentsRepository(source.getRepository(Enrollment));
      asked.length = 0;
      const counted = await enrollments.countUsersByTenant([MANY.smallTenant, randomUUID()]);
      expect([...counted]).toEqual([[MANY.smallTenant, SMALL]]);
      expect(asked).toHaveLength(1);
      await expectFew('users of tenants', asked[0]!, 400);
    } finally {
      await source.destroy();
    }
  });

  // specification: GET /admin/audit, every filter
  describe.each(Object.entries(SCOPES))('for the audit log of %s', (_, scope) => {
    it('list entries from an index with every filter', async () => {
      const middle = await userNumber(client, USERS / 2);
      const filters = {
        nothing: {},
        tenant: { tenantId: MANY.bigTenant },
        app: { appId: MANY.bigApp },
        user: { userId: middle.id },
        action: { action: 'user.login_failed' },
        'tried address': { triedEmail: 'nobody@example.com' },
        'rare action': { action: 'app.secret_regenerated' },
        before: { before: new Date('2020-01-01T03:00:00Z') },
        after: { after: new Date('2020-01-05T00:00:00Z') },
        'tenant and action': { tenantId: MANY.bigTenant, action: 'user.login_failed' },
        'tenant, days and action': {
          tenantId: MANY.bigTenant,
          action: 'user.login_failed',
          after: new Date('2020-01-04T00:00:00Z'),
          before: new Date('2020-01-06T00:00:00Z'),
        },
        'involved user': { involvedUserId: middle.id },
        'involved user and tenant': { involvedUserId: middle.id, tenantId: MANY.bigTenant },
        'actions of an involved user': { involvedUserId: middle.id, actions: ['user.login', 'user.login_failed'] },
        'kind of actor': { actorType: 'user' as const },
        'user and tenant': { tenantId: MANY.bigTenant, userId: middle.id },
      };
      for (const [what, filter] of Object.entries(filters))
        await expectFew(what, auditListQuery({ scope, ...PAGE, ...filter }), 1_500);
      const after = await userNumber(client, SMALL + 60);
      await expectFew('behind a cursor', auditListQuery({ scope, ...PAGE }, { after, skip: 0 }), 1_500);
    });
  });

  it('export the entries of a tenant in the order of its index', async () => {
    const selection = {
      tenantId: MANY.bigTenant,
      action: 'user.login_failed',
      after: new Date('2020-01-04T00:00:00Z'),
      before: new Date('2020-01-06T00:00:00Z'),
    };
    for (const scope of [WHOLE_SCOPE, BIG, BOTH]) {
      await expectFew('export', auditListQuery({ scope, ...selection, ...PAGE_OF_EXPORT }), 2_500);
      await expectFew('count', auditTotalQuery({ scope, ...selection }), 2_500);
      // Everything of a tenant is much, but a page of it reads no more than itself.
      const after = { micros: '1578268800000000', id: randomUUID() };
      const page = auditListQuery({ scope, tenantId: MANY.bigTenant, ...PAGE_OF_EXPORT }, { after, skip: 0 });
      await expectFew('page of an export', page, 2_500);
    }
  });

  it('name the apps of the users of a page by key in every scope', async () => {
    const ids = await hundred();
    for (const [name, scope] of Object.entries(SCOPES)) {
      const query = appsOfUsersQuery(scope, ids, 2);
      await expectFew(`apps, ${name}`, query, 1_100);
    }
  });

  // Filters of the mail log, on as many mails as there are users, one in a thousand of them not sent.
  it.each(Object.entries(SCOPES))('list the mails of %s from an index with every filter', async (_, scope) => {
    await seedMails();
    const middle = await userNumber(client, USERS / 2);
    const filters = {
      nothing: {},
      tenant: { tenantId: MANY.bigTenant },
      app: { appId: MANY.bigApp },
      'user id': { userId: middle.id },
      address: { recipient: middle.email.toUpperCase() },
      user: { user: middle },
      'a hundred users': { sentTo: { text: 'user 1', userIds: await hundred() } },
      'part of an address': { sentTo: { text: middle.email.slice(3, 14), userIds: [middle.id] } },
      'part of all addresses': { sentTo: { text: 'user', userIds: await hundred() } },
      'no such address': { sentTo: { text: 'nobody-at-all', userIds: [] } },
      sent: { state: 'sent' as const },
      bounced: { state: 'bounced' as const },
      'queued, none': { state: 'queued' as const },
      kind: { template: 'magic-link' },
      before: { before: new Date('2020-01-01T03:00:00Z') },
      'days of an app': {
        appId: MANY.bigApp,
        after: new Date('2020-01-04T00:00:00Z'),
        before: new Date('2020-01-06T00:00:00Z'),
      },
    };
    for (const [what, filter] of Object.entries(filters))
      await expectFew(what, mailPageQuery({ scope, ...PAGE, ...filter }), 1_500);
    const place = await userNumber(client, SMALL + 60);
    await expectFew('behind a cursor', mailPageQuery({ scope, ...PAGE }, { after: place, skip: 0 }), 1_500);
    await expectFew('ahead', mailCountQuery({ scope, ...PAGE }, 1_001, { side: 'ahead of', cursor: place }), 4_500);
    await expectFew('one mail', mailQuery(scope, middle.id), 40);
  });

  // As many invites as users, one in a hundred still open.
  it.each(Object.entries(SCOPES))('list the invites of %s from an index with every filter', async (_, cut) => {
    await seedInvites();
    const scope = { ...cut, managedAppIds: [MANY.smallApp] };
    const middle = await userNumber(client, USERS / 2);
    const filters = {
      'no filter': {},
      app: { appId: MANY.bigApp },
      address: { mailedTo: { text: middle.email, emails: [middle.email] } },
      'part of an address': { mailedTo: { text: middle.email.slice(3, 14), emails: [] } },
      'part of all addresses': { mailedTo: { text: 'user', emails: [] } },
      'a hundred users': { mailedTo: { text: 'user 1', emails: await hundredAddresses() } },
      'no such address': { mailedTo: { text: 'nobody-at-all', emails: [] } },
      ...Object.fromEntries(INVITE_STATES.map((state) => [state, { state }])),
    };
    for (const [what, filter] of Object.entries(filters))
      await expectFew(what, invitePageQuery({ scope, ...PAGE, ...filter }), 1_500);
    const place = await userNumber(client, SMALL + 60);
    const behind = invitePageQuery({ scope, ...PAGE }, { after: place, skip: 0 });
    await expectFew('behind a cursor', behind, 1_500);
    await expectFew('ahead', inviteCountQuery({ scope, ...PAGE }, 1_001, { side: 'ahead of', cursor: place }), 4_500);
  });

  it.each(Object.entries(SCOPES))('search the requests that wait in %s from indexes', async (_, scope) => {
    for (const search of [`User ${2_000}`, 'user2000.', 'Großmann', 'the example', 'user'])
      for (const appId of [undefined, MANY.bigApp])
        await expectFew(`request of ${search}`, requestPageQuery({ scope, search, appId }, null, 51), 1_500);
  });

  // One of each for every user of the big app.
  it('list the devices and notifications of a hundred users of an app from indexes', async () => {
    const userIds = await hundred();
    await client.query(
      `INSERT INTO push_devices (id, app_id, user_id, platform, token_hash, sealed_token, last_seen_at)
       SELECT user_id, app_id, user_id, 'web', sha256(user_id::text::bytea), 'x', user_created_at
       FROM enrollments WHERE app_id = $1`,
      [MANY.bigApp],
    );
    await client.query(
      `INSERT INTO notifications (id, app_id, user_id, title, body, ttl, created_at, expires_at)
       SELECT user_id, app_id, user_id, 'x', repeat('x', 100), 60, user_created_at, user_created_at
       FROM enrollments WHERE app_id = $1`,
      [MANY.bigApp],
    );
    await vacuum(client, 'push_devices', 'notifications');
    const asked: Query[] = [];
    const source = await loggedDataSource(
      database.url,
      [PushDevice, Notification, NotificationDelivery, App, ClientRegistration, Tenant, User],
      asked,
    );
    try {
      const statements = {
        run: ({ text }: Query, values: unknown[]) => {
          asked.push({ text, values });
          return Promise.resolve([{ count: 0, last: null }]);
        },
      } as unknown as Statements;
      const devices = new PushDevicesRepository(
        source.getRepository(PushDevice),
        statements,
        new DeepPages(new FakeClock()),
      );
      const log = new NotificationLog(
        { getAdministered: () => Promise.resolve() } as never,
        { writeNewest: () => Promise.resolve() } as never,
        source.getRepository(Notification),
        source.getRepository(NotificationDelivery),
        new DeepPages(new FakeClock()),
      );
      asked.length = 0;
      for (const among of [userIds, []]) {
        await devices.list(MANY.bigApp, PAGE, among);
        await log.list({} as never, MANY.bigApp, { ...PAGE, userIds: among });
      }
      expect(asked.length).toBeGreaterThanOrEqual(4);
      for (const query of asked) await expectFew(query.text.slice(0, 60), query, 700);
      asked.length = 0;
      // All but those of the hundred were seen today.
      await client.query('UPDATE push_devices SET last_seen_at = now() WHERE user_id <> ALL ($1)', [userIds]);
      await devices.purge();
      await vacuum(client, 'push_devices');
      await expectFew('devices that were not seen for long', asked[0]!, 200);
    } finally {
      await source.destroy();
    }
  });

  // One of each for every user of the big app; all messages are delivered, and all notifications sent.
  it('list the webhook messages, notifications and devices of an app from indexes, at any depth', async () => {
    // VACUUM marks pages as visible only after their commit is on disk.
    await client.query('SET synchronous_commit = on');
    await client.query('TRUNCATE push_devices, notifications, notification_deliveries');
    await client.query(
      `INSERT INTO push_devices (id, app_id, user_id, platform, token_hash, sealed_token, last_seen_at)
       SELECT user_id, app_id, user_id, 'web', sha256(user_id::text::bytea), repeat('x', 1000), user_created_at
       FROM enrollments WHERE app_id = $1`,
      [MANY.bigApp],
    );
    await client.query(
      `INSERT INTO notifications (id, app_id, user_id, title, body, ttl, status, created_at, expires_at)
       SELECT user_id, app_id, user_id, 'x', repeat('x', 1000), 60, 'sent', user_created_at, user_created_at
       FROM enrollments WHERE app_id = $1`,
      [MANY.bigApp],
    );
    await client.query(
      `INSERT INTO webhook_messages (id, app_id, type, body, status, created_at, completed_at)
       SELECT user_id, app_id, 'push.delivered', repeat('x', 1000), 'delivered', user_created_at, user_created_at
       FROM enrollments WHERE app_id = $1`,
      [MANY.bigApp],
    );
    const tables = { webhook_messages: 'created_at', notifications: 'created_at', push_devices: 'last_seen_at' };
    await vacuum(client, ...Object.keys(tables));
    const asked: Query[] = [];
    const entities = [WebhookMessage, PushDevice, Notification, NotificationDelivery, App, ClientRegistration, Tenant];
    const source = await loggedDataSource(database.url, [...entities, User], asked);
    try {
      const [statements, deepPages] = [{} as unknown as Statements, new DeepPages(new FakeClock())];
      const messages = new WebhookMessagesRepository(source.getRepository(WebhookMessage), statements, deepPages);
      const devices = new PushDevicesRepository(source.getRepository(PushDevice), statements, deepPages);
      const log = new NotificationLog(
        { getAdministered: () => Promise.resolve() } as never,
        { writeNewest: () => Promise.resolve() } as never,
        source.getRepository(Notification),
        source.getRepository(NotificationDelivery),
        deepPages,
      );
      const [near, far] = [PAGE, { limit: 100, page: 150 }];
      const lists = async (page: { limit: number; page: number }) => [
        (await messages.list(MANY.bigApp, page)).messages,
        (await log.list({} as never, MANY.bigApp, page)).notifications,
        (await devices.list(MANY.bigApp, page)).devices,
      ];
      for (const page of [near, far]) {
        const found = await lists(page);
        for (const [number, [table, time]] of Object.entries(tables).entries()) {
          const { rows } = await client.query<{ id: string }>(
            `SELECT id FROM ${table} ORDER BY ${time} DESC, id DESC LIMIT $1 OFFSET $2`,
            [page.limit, (page.page - 1) * page.limit],
          );
          expect([table, found[number]!.map(({ id }) => id)]).toEqual([table, rows.map(({ id }) => id)]);
        }
      }
      for (const status of WEBHOOK_STATUSES)
        for (const page of [near, far]) await messages.list(MANY.bigApp, { ...page, status });
      for (const status of ['sent', 'failed', 'no_devices'] as const)
        for (const page of [near, far]) await log.list({} as never, MANY.bigApp, { ...page, status });
      expect(await messages.count(MANY.bigApp, undefined, 1_001)).toBe(1_001);
      expect(await messages.count(MANY.bigApp, 'failed', 1_001)).toBe(0);
      await source.transaction((tx) => messages.replayFailed(tx, MANY.bigApp, 1_000));
      const queries = asked.filter(({ text }) => /SELECT/.test(text) && !/version|current_schema/.test(text));
      expect(queries.length).toBeGreaterThanOrEqual(25);
      for (const query of queries) await expectFew(query.text.slice(0, 200), query, 1_500);
    } finally {
      await source.destroy();
    }
  });

  it('list active users from an index even if almost all are suspended', async () => {
    await client.query(
      `UPDATE enrollments SET status = 'suspended' WHERE status = 'active' AND user_id <> md5('user100')::uuid`,
    );
    await vacuum(client, 'enrollments');
    for (const scope of Object.values(SCOPES)) {
      await expectFew('active', usersPageQuery({ scope, ...PAGE, state: 'active' }), 100);
      await expectFew(
        'active, of an app',
        usersPageQuery({ scope, ...PAGE, state: 'active', appId: MANY.bigApp }),
        100,
      );
    }
    expect((await run(usersPageQuery({ scope: BIG, ...PAGE, state: 'active' })))['Actual Rows']).toBe(1);
  });

  it('are checked by a test that detects a sequential scan and many pages', async () => {
    const plan = await run({ text: 'SELECT * FROM users WHERE display_name = $1', values: ['User 7'] });
    expect(readWhole(plan)).toEqual(['users']);
    expect(pages(plan)).toBeGreaterThan(90);
  });
});
