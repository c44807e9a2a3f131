import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { AuditCheckpointer } from '../../../src/operations/audit-integrity/audit-checkpointer.js';
import { tamper } from '../../support/audit-trail.js';
import { runCommand } from '../../support/command-line.js';
import { sealAll } from '../../support/seal-all.js';
import { startTestApp } from '../../support/test-app.js';
import { freshDatabase, type TestDatabase } from '../../support/test-database.js';
import { World } from '../../support/world.js';

jest.setTimeout(180_000); // each command is its own process

// security 109
describe('Command audit verify', () => {
  let own: TestDatabase;
  let quiet: World;
  const run = (...args: string[]) => runCommand(['audit', 'verify', ...args], { env: { DATABASE_URL: own.url } });

  beforeAll(async () => {
    own = await freshDatabase();
    const first = await startTestApp({ settings: { databaseUrl: own.url } });
    quiet = await World.open(first.baseUrl, own.url);
    await quiet.tenant({ slug: 'watched' });
    await quiet.tenant({ slug: 'other' });
    await sealAll(first);
    await first.nest.get<AuditCheckpointer>(AuditCheckpointer, { strict: false }).sign(0);
    await first.close();
  });

  afterAll(async () => {
    await quiet.close();
    await own.drop();
  });

  it('counts sealed and unsealed entries of an intact log and exits with 0', async () => {
    await quiet.sql(
      `INSERT INTO audit_entries (id, action, actor_type) SELECT gen_random_uuid(), 'tenant.updated', 'system' FROM generate_series(1, 3)`,
    );
    const { code, stdout, output } = await run();
    const [counted] = await quiet.sql<{ n: number }>(
      'SELECT count(*)::int AS n FROM audit_entries WHERE seq IS NOT NULL',
    );
    expect([output, code]).toEqual([output, 0]);
    expect(stdout).toMatch(
      new RegExp(`^4 chains, ${counted!.n} entries in order, 4 checkpoints; 0 entries are behind`, 'm'),
    );
    expect(stdout).toContain('3 entries are not sealed yet');
    expect(stdout).toContain('The audit log is whole');
  });

  it('accepts the checkpoints that audit checkpoints prints, the newest of each chain', async () => {
    const { code, stdout, output } = await runCommand(['audit', 'checkpoints'], { env: { DATABASE_URL: own.url } });
    expect([output, code]).toEqual([output, 0]);
    const lines = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    const rows = await quiet.sql<{ chain: string; seq: number; hash: string; jws: string }>(
      `SELECT DISTINCT ON (chain_id) chain_id AS chain, seq::int AS seq, encode(hash, 'hex') AS hash, jws
       FROM audit_checkpoints ORDER BY chain_id, seq DESC`,
    );
    expect(lines).toEqual(rows);
    expect(lines).toHaveLength(4);
  });

  it('names the first broken entry of each chain and exits with 1', async () => {
    const [entry] = await quiet.sql<{ id: string; tenant_id: string; seq: string }>(
      `SELECT e.* FROM audit_entries e JOIN tenants t ON t.id = e.tenant_id WHERE t.slug = 'watched' ORDER BY seq DESC LIMIT 1`,
    );
    await tamper(quiet, 'audit_entries', `UPDATE audit_entries SET actor_email = 'eve@example.com' WHERE id = $1`, [
      entry!.id,
    ]);
    const { code, stdout } = await run();
    expect(code).toBe(1);
    expect(stdout).toContain(
      `Chain of tenant ${entry!.tenant_id}, entry ${entry!.seq} (${entry!.id}): its content does not fit its hash`,
    );
    expect(stdout).toContain('BROKEN: 1 of 4 chains');
    expect(stdout).not.toContain('whole');
  });

  it('checks a single tenant by slug or id, and exits with 1 for an unknown tenant', async () => {
    const [tenant] = await quiet.sql<{ id: string }>(`SELECT id FROM tenants WHERE slug = 'watched'`);
    expect((await run('--tenant', 'watched')).code).toBe(1);
    expect((await run('--tenant', tenant!.id.toUpperCase())).code).toBe(1);
    const other = await run('--tenant', 'other');
    expect([other.code, other.stdout]).toEqual([0, expect.stringMatching(/^1 chains/)]);
    const absent = await run('--tenant', 'absent');
    expect([absent.code, absent.output]).toEqual([1, expect.stringContaining('There is no tenant absent')]);
  });
});
