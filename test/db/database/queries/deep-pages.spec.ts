import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Client } from 'pg';
import type { DataSource } from 'typeorm';
import { AuditEntry } from '../../../../src/audit/entries/audit-entry.entity.js';
import { AuditRepository } from '../../../../src/audit/audit.repository.js';
import { type Scope, WHOLE_SCOPE } from '../../../../src/common/actor.js';
import { Statements } from '../../../../src/database/statements.js';
import { DeepPages } from '../../../../src/database/queries/deep-pages.js';
import type { Query } from '../../../../src/database/queries/query.js';
import { VisibleUsersRepository } from '../../../../src/enrollment/users/visible-users.repository.js';
import { User } from '../../../../src/users/user.entity.js';
import { loggedDataSource } from '../../../support/logged-data-source.js';
import { FakeClock } from '../../../support/fake-clock.js';
import { MANY, seedMany } from '../../../support/many-rows.js';
import { freshDatabase, type TestDatabase } from '../../../support/test-database.js';

const USERS = 20_000;
const LIMIT = 50;
const BIG: Scope = { everything: false, tenantIds: [MANY.bigTenant], appIds: [] };
const SCOPES = {
  'the platform': WHOLE_SCOPE,
  'a big tenant': BIG,
  'an app': { everything: false, tenantIds: [], appIds: [MANY.bigApp] },
  'several scopes': { everything: false, tenantIds: [MANY.bigTenant, MANY.smallTenant], appIds: [MANY.bigApp] },
};
const takesMilestones = ({ text }: Query): boolean => text.includes('row_number()');

// performance 8
describe('Pages by number deep in a list', () => {
  const asked: Query[] = [];
  const clock = new FakeClock();
  let database: TestDatabase;
  let client: Client;
  let source: DataSource;
  let users: VisibleUsersRepository;
  let audit: AuditRepository;

  beforeAll(async () => {
    database = await freshDatabase();
    client = new Client({ connectionString: database.url });
    await client.connect();
    await seedMany(client, 0, USERS);
    source = await loggedDataSource(database.url, [User, AuditEntry], asked);
  });
  beforeEach(() => {
    const deepPages = new DeepPages(clock);
    users = new VisibleUsersRepository(source.getRepository(User), deepPages);
    audit = new AuditRepository(source.getRepository(AuditEntry), deepPages, new Statements(source));
    asked.length = 0;
  });
  afterAll(async () => {
    await source.destroy();
    await client.end();
    await database.drop();
  });

  const listed = async (page: number, scope: Scope = WHOLE_SCOPE, limit = LIMIT): Promise<string[]> =>
    (await users.list({ scope, page, limit })).users.map(({ id }) => id);
  /** The ids of all users in the scope, in order. */
  async function allUsers(scope: Scope): Promise<string[]> {
    const { rows } = await client.query<{ id: string }>(
      `SELECT u.id FROM users u WHERE $1 OR EXISTS (SELECT FROM enrollments e WHERE e.user_id = u.id
         AND (e.tenant_id = ANY($2) OR e.app_id = ANY($3))) ORDER BY u.created_at DESC, u.id DESC`,
      [scope.everything, scope.tenantIds, scope.appIds],
    );
    return rows.map(({ id }) => id);
  }

  it.each(Object.entries(SCOPES))('contain the same users as the whole list of %s', async (_, scope) => {
    const all = await allUsers(scope);
    const ends = [Math.ceil(all.length / LIMIT) - 1, Math.ceil(all.length / LIMIT), Math.ceil(all.length / LIMIT) + 30];
    for (const page of [1, 99, 100, 101, 102, 119, 120, 121, 160, ...ends])
      expect([page, await listed(page, scope)]).toEqual([page, all.slice((page - 1) * LIMIT, page * LIMIT)]);
    for (const page of [28, 33, 41])
      expect([page, await listed(page, scope, 199)]).toEqual([page, all.slice((page - 1) * 199, page * 199)]);
    expect(asked.filter(takesMilestones)).toHaveLength(1);
  });

  it('contain the same entries as the whole audit log', async () => {
    const { rows } = await client.query<{ id: string }>(
      'SELECT id FROM audit_entries WHERE tenant_id = $1 ORDER BY created_at DESC, id DESC',
      [MANY.bigTenant],
    );
    for (const page of [100, 101, 120, 121, 155, 200, 201]) {
      const found = await audit.list({ scope: BIG, page, limit: LIMIT });
      const part = rows.slice((page - 1) * LIMIT, page * LIMIT);
      expect([page, found.entries.map(({ id }) => id)]).toEqual([page, part.map(({ id }) => id)]);
    }
    expect(asked.filter(takesMilestones)).toHaveLength(1);
  });

  it('read no more than a thousand rows at any depth', async () => {
    await listed(200);
    for (const page of [119, 200, 399, 400]) {
      asked.length = 0;
      await listed(page);
      const { text, values } = asked.find((query) => query.text.includes('OFFSET'))!;
      const { rows } = await client.query<{ 'QUERY PLAN': [{ Plan: Plan }] }>(
        `EXPLAIN (ANALYZE, FORMAT JSON) ${text}`,
        values,
      );
      expect([page, Math.max(...rowsRead(rows[0]!['QUERY PLAN'][0].Plan)) <= 1_000 + LIMIT]).toEqual([page, true]);
    }
  });

  it('do not shift when few or many users are added', async () => {
    await listed(200);
    for (const [from, to] of [
      [USERS, USERS + 70],
      [USERS + 70, USERS + 11_000],
    ] as const) {
      await seedMany(client, from, to);
      const all = await allUsers(WHOLE_SCOPE);
      for (const page of [101, 121, 200, 390])
        expect([page, await listed(page)]).toEqual([page, all.slice((page - 1) * LIMIT, page * LIMIT)]);
    }
  });

  it('omit deleted users after a minute', async () => {
    await listed(200);
    await client.query(
      `DELETE FROM enrollments WHERE user_created_at > timestamptz '2020-01-01' + 25000 * interval '1 minute'`,
    );
    await client.query(`DELETE FROM users WHERE created_at > timestamptz '2020-01-01' + 25000 * interval '1 minute'`);
    clock.advance(61);
    const all = await allUsers(WHOLE_SCOPE);
    expect(await listed(200)).toEqual(all.slice(199 * LIMIT, 200 * LIMIT));
  });
});

interface Plan {
  readonly 'Actual Rows': number;
  readonly Plans?: readonly Plan[];
}

function rowsRead(plan: Plan): number[] {
  return [plan['Actual Rows'], ...(plan.Plans ?? []).flatMap(rowsRead)];
}
