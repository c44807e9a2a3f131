import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, jest } from '@jest/globals';
import { Client } from 'pg';
import { Checker } from '../../faults/checker.js';
import { Journal } from '../../faults/journal.js';
import { FAULTS } from '../../faults/list.js';
import { inject } from '../../faults/report.js';
import { freshDatabase } from '../../support/test-database.js';
import type { World } from '../../support/world.js';

jest.setTimeout(300_000); // processes of their own, killed and started again, on busy cores

const QUICK = FAULTS.filter(({ quick }) => quick);

// The others: npm run test:faults.
describe('Faults', () => {
  it.each(QUICK)('$name: nothing acknowledged is lost, half done or doubled', async (fault) => {
    const { state, text } = await inject({ ...fault, run: fault.quick! });
    expect([state, text]).toEqual(['held', text]);
  });

  it('the checker names what was acknowledged and is not there', async () => {
    const [database, folder] = [await freshDatabase(), mkdtempSync(join(tmpdir(), 'broker-journal-'))];
    const client = new Client({ connectionString: database.url });
    await client.connect();
    const journal = new Journal(join(folder, 'journal'));
    const id = '00000000-0000-4000-8000-000000000000';
    journal.write({ kind: 'token', token: 'never stored' });
    journal.write({ kind: 'revoked', token: 'never revoked' });
    journal.write({ kind: 'user', id });
    await client.query(
      `INSERT INTO users (id, email, email_canonical, display_name) VALUES (gen_random_uuid(), 'load-x@example.com', 'load-x@example.com', 'x')`,
    );
    const world = { sql: async (text: string, values: unknown[]) => (await client.query(text, values)).rows };
    const broken = await new Checker(world as unknown as World, journal).check();
    journal.close();
    await client.end();
    await database.drop();
    rmSync(folder, { recursive: true });
    expect(broken).toEqual([
      'lost: the refresh token never …',
      'lost: the revocation of never …',
      `lost: the user ${id}`,
      '1 users that were made without an audit entry',
      '1 users without the enrollment that came with them',
    ]);
  });
});
