import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { generateKeyPair, randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import { calculateJwkThumbprint, CompactSign, exportJWK } from 'jose';
import { AUDIT_COLUMNS } from '../../../src/audit/entries/audit-entry.columns.js';
import type { AuditEntry } from '../../../src/audit/entries/audit-entry.entity.js';
import { hashOf } from '../../../src/audit/chain/seal.rules.js';
import { systemContext } from '../../../src/common/request-context.js';
import { SystemRandomness } from '../../../src/common/system-randomness.js';
import { SecretBox } from '../../../src/crypto/secret-box.js';
import { AuditCheckpointer } from '../../../src/operations/audit-integrity/audit-checkpointer.js';
import { AuditVerifier } from '../../../src/operations/audit-integrity/audit-verifier.js';
import { SigningKeys } from '../../../src/tokens/keys/signing-keys.js';
import { newTenantId, tamper, writeEntries } from '../../support/audit-trail.js';
import { sealAll } from '../../support/seal-all.js';
import { startTestApp, type TestApp } from '../../support/test-app.js';
import { freshDatabase, type TestDatabase } from '../../support/test-database.js';
import { World } from '../../support/world.js';

const ENTRIES = 1_200;

// security 109
describe('Audit log verification', () => {
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

  const get = <T>(type: abstract new (...args: never[]) => T): T =>
    service.nest.get<T>(type as never, { strict: false });
  const verify = (chain: string) => get(AuditVerifier).verify(chain);
  const seal = () => sealAll(service);
  const signAll = () => get(AuditCheckpointer).sign(0);
  const idOf = async (chain: string, seq: number) =>
    (
      await world.sql<{ id: string }>('SELECT id FROM audit_entries WHERE tenant_id = $1 AND seq = $2', [chain, seq])
    )[0]!.id;

  /** A sealed chain of a new tenant, with a checkpoint at `signedAt`. */
  async function chainOf(entries: number, signedAt = 0): Promise<string> {
    const chain = newTenantId();
    if (signedAt > 0) {
      await writeEntries(world, chain, signedAt);
      await seal();
      await signAll();
    }
    await writeEntries(world, chain, entries - signedAt);
    await seal();
    return chain;
  }

  /** Recomputes every hash from `seq` on, as an attacker who knows the algorithm. */
  async function rehash(chain: string, seq: number): Promise<void> {
    const rows = await world.sql<AuditEntry & object>(
      `SELECT ${AUDIT_COLUMNS} FROM audit_entries WHERE tenant_id = $1 AND seq >= $2 ORDER BY seq`,
      [chain, seq],
    );
    let prevHash = rows[0]!.prevHash!;
    for (const row of rows) {
      const hash = hashOf(row, { seq: Number(row.seq), prevHash });
      await tamper(world, 'audit_entries', 'UPDATE audit_entries SET prev_hash = $2, hash = $3 WHERE id = $1', [
        row.id,
        prevHash,
        hash,
      ]);
      prevHash = hash;
    }
    await tamper(world, 'audit_chains', 'UPDATE audit_chains SET last_hash = $2 WHERE id = $1', [chain, prevHash]);
  }

  it('finds no fault in an unchanged chain that spans several batches', async () => {
    const chain = await chainOf(ENTRIES, 1_100);
    expect(await verify(chain)).toEqual({ chain, entries: ENTRIES, checkpoints: 1, unsigned: 100, fault: null });
  });

  it('finds no fault in a chain that grows during the check', async () => {
    const chain = await chainOf(600, 600);
    let running = true;
    const growing = (async () => {
      while (running) {
        await writeEntries(world, chain, 100);
        await seal();
        await signAll();
      }
    })();
    for (let time = 0; time < 8; time++) expect((await verify(chain)).fault).toBeNull();
    running = false;
    await growing;
    expect((await verify(chain)).entries).toBeGreaterThan(600);
  });

  it.each([
    ['the action', `action = 'tenant.created'`],
    ['the time by a millisecond', `created_at = created_at + interval '1 millisecond'`],
    ['the actor', `actor_email = 'another@else.example'`],
    ['the metadata', `metadata = '{"number": 0}'`],
    ['the hash', `hash = sha256('x')`],
  ])('reports the entry in which a database user changed %s', async (_, change) => {
    const chain = await chainOf(10);
    const id = await idOf(chain, 7);
    await tamper(world, 'audit_entries', `UPDATE audit_entries SET ${change} WHERE id = $1`, [id]);
    const report = await verify(chain);
    expect(report.fault).toEqual({ seq: 7, entryId: id, what: 'its content does not fit its hash' });
    expect(report.entries).toBe(6);
  });

  it('reports the gap at a deleted entry', async () => {
    const chain = await chainOf(10);
    const next = await idOf(chain, 8);
    await tamper(world, 'audit_entries', 'DELETE FROM audit_entries WHERE tenant_id = $1 AND seq = 7', [chain]);
    expect((await verify(chain)).fault).toMatchObject({
      seq: 7,
      entryId: next,
      what: expect.stringContaining('number 8'),
    });
  });

  it('reports entries whose order was changed', async () => {
    const chain = await chainOf(10);
    for (const [from, to] of [
      [4, 105],
      [5, 4],
      [105, 5],
    ]) {
      const move = 'UPDATE audit_entries SET seq = $3 WHERE tenant_id = $1 AND seq = $2';
      await tamper(world, 'audit_entries', move, [chain, from, to]);
    }
    expect((await verify(chain)).fault).toMatchObject({ seq: 4, what: 'it is not linked to the entry before it' });
  });

  it('reports deleted entries at the end and at the beginning of a chain', async () => {
    const [tail, beginning] = [await chainOf(10), await chainOf(10)];
    await tamper(world, 'audit_entries', 'DELETE FROM audit_entries WHERE tenant_id = $1 AND seq > 8', [tail]);
    expect((await verify(tail)).fault).toEqual({
      seq: 9,
      entryId: null,
      what: 'entries are missing: the head of the chain speaks of 10',
    });
    await tamper(world, 'audit_entries', 'DELETE FROM audit_entries WHERE tenant_id = $1 AND seq < 3', [beginning]);
    expect((await verify(beginning)).fault).toMatchObject({ seq: 1, what: expect.stringContaining('number 3') });
  });

  it('reports a correctly linked entry inserted after the head, and a deleted head', async () => {
    const [longer, headless] = [await chainOf(5), await chainOf(5)];
    const [end] = await world.sql<AuditEntry & object>(
      `SELECT ${AUDIT_COLUMNS} FROM audit_entries WHERE tenant_id = $1 AND seq = 5`,
      [longer],
    );
    const forged = { ...end!, id: newTenantId() };
    await world.sql(
      `INSERT INTO audit_entries (id, created_at, action, actor_type, tenant_id, metadata, seq, prev_hash, hash)
       SELECT $1, created_at, action, actor_type, tenant_id, metadata, 6, hash, $2 FROM audit_entries WHERE id = $3`,
      [forged.id, hashOf(forged, { seq: 6, prevHash: end!.hash! }), end!.id],
    );
    expect((await verify(longer)).fault).toEqual({
      seq: 6,
      entryId: null,
      what: 'the chain has entries behind its head',
    });
    await tamper(world, 'audit_chains', 'DELETE FROM audit_chains WHERE id = $1', [headless]);
    expect((await verify(headless)).fault?.what).toBe('the head of the chain is missing');
    expect(await get(AuditVerifier).listChains()).toContain(headless);
  });

  it('reports a completely rewritten chain by its checkpoint', async () => {
    const chain = await chainOf(12, 8);
    await tamper(world, 'audit_entries', `UPDATE audit_entries SET metadata = '{}' WHERE tenant_id = $1 AND seq = 3`, [
      chain,
    ]);
    await rehash(chain, 3);
    const { fault } = await verify(chain);
    expect(fault).toMatchObject({ seq: 8, entryId: await idOf(chain, 8) });
    expect(fault!.what).toMatch(/^its hash is not the one signed at \d{4}-.*: entries up to here were rewritten$/);
  });

  it('reports a shortened chain with a reset head by its checkpoint', async () => {
    const chain = await chainOf(12, 8);
    await tamper(world, 'audit_entries', 'DELETE FROM audit_entries WHERE tenant_id = $1 AND seq > 6', [chain]);
    await tamper(
      world,
      'audit_chains',
      'UPDATE audit_chains c SET last_seq = 6, last_hash = e.hash FROM audit_entries e WHERE c.id = $1 AND e.tenant_id = c.id AND e.seq = 6',
      [chain],
    );
    expect((await verify(chain)).fault).toEqual({
      seq: 7,
      entryId: null,
      what: 'entries are missing: a checkpoint speaks of 8',
    });
    await tamper(world, 'audit_entries', 'DELETE FROM audit_entries WHERE tenant_id = $1', [chain]);
    await tamper(world, 'audit_chains', 'DELETE FROM audit_chains WHERE id = $1', [chain]);
    expect(await get(AuditVerifier).listChains()).toContain(chain);
    expect((await verify(chain)).fault).toMatchObject({
      seq: 1,
      what: 'entries are missing: a checkpoint speaks of 8',
    });
  });

  describe('with forged checkpoints', () => {
    const forge = (chain: string, jws: string) =>
      tamper(
        world,
        'audit_checkpoints',
        `UPDATE audit_checkpoints p SET jws = $2, hash = e.hash FROM audit_entries e
         WHERE p.chain_id = $1 AND e.tenant_id = p.chain_id AND e.seq = p.seq`,
        [chain, jws],
      );
    const content = async (chain: string, seq: number) => {
      const [row] = await world.sql<{ hash: Buffer }>(
        'SELECT hash FROM audit_entries WHERE tenant_id = $1 AND seq = $2',
        [chain, seq],
      );
      return { iss: service.baseUrl, chain, seq, hash: row!.hash.toString('hex'), time: new Date() };
    };
    const NOT_OURS = 'its checkpoint was not signed by a key of this service';

    it('rejects a checkpoint signed by a key that was inserted into the table of keys', async () => {
      const chain = await chainOf(8, 8);
      const { publicKey, privateKey } = await promisify(generateKeyPair)('rsa', { modulusLength: 2048 });
      const jwk = await exportJWK(publicKey);
      const kid = await calculateJwkThumbprint(jwk);
      const box = new SecretBox(randomBytes(32), null, new SystemRandomness());
      const sealed = box.seal(privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(), `signing_keys:${kid}`);
      await world.sql(
        `INSERT INTO signing_keys (kid, public_jwk, sealed_private_key, activates_at, retires_at) VALUES ($1, $2, $3, '2020-01-01', '2020-01-02')`,
        [kid, JSON.stringify(jwk), sealed],
      );
      const jws = await new CompactSign(Buffer.from(JSON.stringify(await content(chain, 8))))
        .setProtectedHeader({ alg: 'RS256', kid, typ: 'audit-checkpoint+jwt' })
        .sign(privateKey);
      await forge(chain, jws);
      expect((await verify(chain)).fault).toMatchObject({ seq: 8, what: NOT_OURS });
    });

    it('rejects checkpoints that are unsigned or another kind of signed token', async () => {
      const chain = await chainOf(8, 8);
      const { kid, privateKey } = get(SigningKeys).current();
      const asToken = await new CompactSign(Buffer.from(JSON.stringify(await content(chain, 8))))
        .setProtectedHeader({ alg: 'RS256', kid, typ: 'at+jwt' })
        .sign(privateKey);
      const none = `${Buffer.from('{"alg":"none","typ":"audit-checkpoint+jwt"}').toString('base64url')}.${asToken.split('.')[1]}.`;
      for (const jws of [asToken, none, world.admin.token, '']) {
        await forge(chain, jws);
        expect((await verify(chain)).fault).toMatchObject({ seq: 8, what: NOT_OURS });
      }
    });

    it('rejects the checkpoint of another chain or entry', async () => {
      const [chain, other] = [await chainOf(8, 8), await chainOf(8, 8)];
      const [foreign] = await world.sql<{ jws: string }>('SELECT jws FROM audit_checkpoints WHERE chain_id = $1', [
        other,
      ]);
      await forge(chain, foreign!.jws);
      expect((await verify(chain)).fault).toMatchObject({
        seq: 8,
        what: 'its checkpoint was signed for another entry',
      });
    });
  });

  it('reports a checkpoint that was moved to another sequence number', async () => {
    const chain = await chainOf(8, 8);
    await tamper(world, 'audit_checkpoints', 'UPDATE audit_checkpoints SET seq = 0 WHERE chain_id = $1', [chain]);
    expect((await verify(chain)).fault).toEqual({
      seq: 0,
      entryId: null,
      what: 'there is a checkpoint without an entry',
    });
  });

  it('accepts checkpoints whose signing keys have retired', async () => {
    const chain = await chainOf(4, 4);
    await get(SigningKeys).rotate(systemContext('test'), { immediately: true });
    await world.sql(`UPDATE signing_keys SET retires_at = now() - interval '400 days' WHERE retires_at IS NOT NULL`);
    expect(await verify(chain)).toMatchObject({ checkpoints: 1, fault: null });
  });

  it('rejects checkpoints as tokens at /token/verify, /userinfo and /admin/users', async () => {
    const [row] = await world.sql<{ jws: string }>(
      'SELECT jws FROM audit_checkpoints ORDER BY created_at DESC LIMIT 1',
    );
    const answer = await world.call('POST', '/token/verify', { token: row!.jws, audience: world.platformConsoleId });
    expect(answer.body).toEqual({ valid: false, error: expect.any(String) });
    for (const path of ['/userinfo', '/admin/users'])
      expect((await world.call('GET', path, undefined, { token: row!.jws })).status).toBe(401);
  });

  it('signs a chain at most once an hour and only after it has grown', async () => {
    const chain = await chainOf(3, 2);
    const checkpointer = get(AuditCheckpointer);
    const signed = async () =>
      (
        await world.sql<{ seq: string }>('SELECT seq FROM audit_checkpoints WHERE chain_id = $1 ORDER BY seq', [chain])
      ).map(({ seq }) => Number(seq));
    await checkpointer.run();
    expect(await signed()).toEqual([2]);
    await tamper(
      world,
      'audit_checkpoints',
      `UPDATE audit_checkpoints SET created_at = now() - interval '61 minutes' WHERE chain_id = $1`,
      [chain],
    );
    await Promise.all([checkpointer.run(), checkpointer.run()]);
    expect(await signed()).toEqual([2, 3]);
    await tamper(
      world,
      'audit_checkpoints',
      `UPDATE audit_checkpoints SET created_at = now() - interval '61 minutes' WHERE chain_id = $1`,
      [chain],
    );
    await checkpointer.run();
    expect(await signed()).toEqual([2, 3]);
  });
});
