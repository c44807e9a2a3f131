import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Client } from 'pg';
import type { Statements } from '../../../src/database/statements.js';
import type { Rotation } from '../../../src/tokens/grants/refresh/refresh-token-rows.js';
import { RefreshTokensRepository } from '../../../src/tokens/grants/refresh/refresh-tokens.repository.js';
import { freshDatabase, type TestDatabase } from '../../support/test-database.js';

const USERS = 30_000;
const BIG_TABLES = ['users', 'enrollments', 'refresh_families', 'refresh_tokens', 'consents'];

/** Users, each with an enrollment, a consent, a refresh token family and a live token. */
const SEED = [
  `INSERT INTO users (id, email, email_canonical, display_name)
   SELECT md5('user' || i)::uuid, i || '@example.com', i || '@example.com', 'Ada' FROM generate_series(1, $1::int) i`,
  `INSERT INTO enrollments (user_id, app_id, roles, status)
   SELECT u.id, a.id, '{user}', 'active' FROM users u, apps a WHERE $1 > 0`,
  `INSERT INTO refresh_families (id, user_id, app_id, auth_time, amr, expires_at)
   SELECT u.id, u.id, a.id, now(), '{pwd}', now() + interval '30 days' FROM users u, apps a WHERE $1 > 0`,
  `INSERT INTO refresh_tokens (token_hash, family_id, expires_at)
   SELECT sha256(f.id::text::bytea), f.id, f.expires_at FROM refresh_families f WHERE $1 > 0`,
  `INSERT INTO consents (user_id, app_id, resource, scopes, asked)
   SELECT u.id, a.id, '', '{}', '{}' FROM users u, apps a WHERE $1 > 0`,
];

describe('Query plan of the refresh token rotation', () => {
  let database: TestDatabase;
  let client: Client;
  let rotate: string;

  beforeAll(async () => {
    database = await freshDatabase();
    client = new Client({ connectionString: database.url });
    await client.connect();
    rotate = await statementOf((repository) => repository.rotate([]));
  });

  afterAll(async () => {
    await client.end();
    await database.drop();
  });

  /** The generic plan, which PostgreSQL keeps for a prepared statement with any values. */
  const genericPlan = async (): Promise<string> => {
    const { rows } = await client.query<{ 'QUERY PLAN': string }>(`EXPLAIN (GENERIC_PLAN) ${rotate}`);
    return rows.map((row) => row['QUERY PLAN']).join('\n');
  };
  const scannedWhole = (plan: string): string[] => BIG_TABLES.filter((table) => plan.includes(`Seq Scan on ${table} `));

  it('uses the primary keys on new tables that were never analyzed', async () => {
    const plan = await genericPlan();
    expect(scannedWhole(plan)).toEqual([]);
    for (const table of BIG_TABLES) expect(plan).toMatch(new RegExp(`pk_${table}`));
  });

  it('uses the primary keys with many rows, before and after ANALYZE', async () => {
    for (const statement of SEED) await client.query(statement, [USERS]);
    expect(scannedWhole(await genericPlan())).toEqual([]);
    await client.query('VACUUM ANALYZE');
    const plan = await genericPlan();
    expect(scannedWhole(plan)).toEqual([]);
    for (const table of BIG_TABLES) expect(plan).toMatch(new RegExp(`pk_${table}`));
  });

  interface Node {
    readonly [figure: string]: unknown;
    readonly Plans?: readonly Node[];
  }
  const nodesOf = (node: Node): Node[] => [node, ...(node.Plans ?? []).flatMap(nodesOf)];

  it('reads few pages for a batch of 64 tokens, and none to bind sign-ins to keys where no request has one', async () => {
    const { rows: tokens } = await client.query<{ token_hash: Buffer; app_id: string }>(
      `SELECT t.token_hash, f.app_id FROM refresh_tokens t JOIN refresh_families f ON f.id = t.family_id LIMIT 64`,
    );
    const batch = tokens.map(({ token_hash, app_id }, index): Rotation => {
      return {
        tokenHash: token_hash,
        childHash: Buffer.alloc(32, index),
        appId: app_id,
        deviceId: null,
        admitted: false,
        jkt: null,
      };
    });
    let values: unknown[] = [];
    const repository = new RefreshTokensRepository({
      run: async (_: unknown, given: unknown[]) => ((values = given), []),
    } as unknown as Statements);
    await repository.rotate(batch);
    await client.query('SET plan_cache_mode = force_generic_plan');
    const { rows } = await client.query<{ 'QUERY PLAN': [{ Plan: Node }] }>({
      name: 'rotate',
      text: `EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${rotate}`,
      values,
    });
    const { Plan: plan } = rows[0]!['QUERY PLAN'][0];
    expect(plan['Actual Rows']).toBe(64);
    // Six look-ups of about three pages for each token, and the pages of its child; the tables together have thousands.
    const pagesOf = (node: Node) => Number(node['Shared Hit Blocks']) + Number(node['Shared Read Blocks']);
    expect(pagesOf(plan)).toBeLessThan(64 * 50);
    const binding = nodesOf(plan).filter((node) => node['Subplan Name'] === 'CTE bound');
    expect(binding.map((node) => [node['Relation Name'], pagesOf(node)])).toEqual([['refresh_families', 0]]);
  });
});

/** The SQL text that a call sends to the database. */
async function statementOf(call: (repository: RefreshTokensRepository) => Promise<unknown>): Promise<string> {
  let text = '';
  const recorder = { run: async (statement: { text: string }) => ((text = statement.text), []) };
  await call(new RefreshTokensRepository(recorder as unknown as Statements));
  return text;
}
