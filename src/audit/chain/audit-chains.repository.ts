import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Statements } from '../../database/statements.js';
import { AUDIT_COLUMNS } from '../entries/audit-entry.columns.js';
import type { AuditEntry } from '../entries/audit-entry.entity.js';
import { NO_TENANT } from './seal.rules.js';

export interface ChainHead {
  readonly id: string;
  /** 0 and zeros until an entry is sealed. */
  readonly seq: number;
  readonly hash: Buffer;
}

/** A position in a chain. The id distinguishes entries that have the same number. */
export interface ChainPosition {
  readonly seq: string;
  readonly id: string;
}

const CHAIN = `coalesce(tenant_id, '${NO_TENANT}')`;

const LIST_WAITING = {
  name: 'audit_chains_waiting',
  text: `SELECT DISTINCT ${CHAIN} AS id
    FROM (SELECT tenant_id FROM audit_entries WHERE seq IS NULL ORDER BY ordinal LIMIT $1) AS first`,
};
const ADD = {
  name: 'audit_chains_add',
  text: 'INSERT INTO audit_chains (id) SELECT unnest($1::uuid[]) ORDER BY 1 ON CONFLICT DO NOTHING',
};
const LOCK = {
  name: 'audit_chains_lock',
  text: `SELECT id, last_seq::float8 AS seq, last_hash AS hash FROM audit_chains
    WHERE id = ANY($1::uuid[]) ORDER BY id FOR UPDATE SKIP LOCKED`,
};
const LIST_UNSEALED = {
  name: 'audit_entries_unsealed',
  text: `SELECT ${AUDIT_COLUMNS} FROM audit_entries
    WHERE seq IS NULL AND ${CHAIN} = ANY($1::uuid[]) ORDER BY audit_entries.ordinal LIMIT $2`,
};
const SEAL = {
  name: 'audit_entries_seal',
  text: `WITH sealed AS (
      UPDATE audit_entries AS e SET seq = s.seq, prev_hash = s.prev_hash, hash = s.hash
      FROM unnest($1::uuid[], $2::bigint[], $3::bytea[], $4::bytea[]) AS s (id, seq, prev_hash, hash)
      WHERE e.id = s.id AND e.seq IS NULL RETURNING 1)
    SELECT count(*)::int AS count FROM sealed`,
};
const ADVANCE = {
  name: 'audit_chains_advance',
  text: `UPDATE audit_chains AS c SET last_seq = h.seq, last_hash = h.hash, sealed_at = now()
    FROM unnest($1::uuid[], $2::bigint[], $3::bytea[]) AS h (id, seq, hash) WHERE c.id = h.id`,
};
const HEAD = {
  name: 'audit_chains_head',
  text: 'SELECT id, last_seq::float8 AS seq, last_hash AS hash FROM audit_chains WHERE id = $1',
};
/**
 * Every chain that has a head or a sealed entry, because a head may have been deleted. Uses an index to skip from
 * tenant to tenant.
 */
const LIST_CHAINS = {
  name: 'audit_chains_list',
  text: `WITH RECURSIVE tenant AS (
      (SELECT tenant_id AS id FROM audit_entries WHERE seq IS NOT NULL AND tenant_id IS NOT NULL
       ORDER BY tenant_id LIMIT 1)
      UNION ALL
      SELECT next.id FROM tenant, LATERAL (SELECT tenant_id AS id FROM audit_entries
        WHERE tenant_id > tenant.id AND seq IS NOT NULL ORDER BY tenant_id LIMIT 1) AS next)
    SELECT id FROM tenant UNION SELECT id FROM audit_chains
    UNION SELECT '${NO_TENANT}' WHERE EXISTS (SELECT FROM audit_entries WHERE tenant_id IS NULL AND seq IS NOT NULL)
    ORDER BY 1`,
};
const WALK = (name: string, condition: string, after: string) => ({
  name: `audit_entries_walk_${name}`,
  text: `SELECT ${AUDIT_COLUMNS} FROM audit_entries
    WHERE ${condition} AND seq IS NOT NULL ${after} ORDER BY audit_entries.seq, audit_entries.id LIMIT $1`,
});
const COUNT_UNSEALED = {
  name: 'audit_entries_count_unsealed',
  text: `SELECT count(*)::int AS count FROM audit_entries WHERE seq IS NULL AND ($1::uuid IS NULL OR ${CHAIN} = $1)`,
};

/** Statements on chain heads, and on entries as links of chains. */
@Injectable()
export class AuditChainsRepository {
  constructor(private readonly statements: Statements) {}

  /** Chains of the `limit` entries that have waited longest to be sealed. */
  async listWaiting(limit: number): Promise<string[]> {
    return (await this.statements.run<{ id: string }>(LIST_WAITING, [limit])).map(({ id }) => id);
  }

  /** Locks the heads of these chains until the transaction ends, without those that another transaction has locked. */
  async lockHeads(tx: EntityManager, chains: readonly string[]): Promise<ChainHead[]> {
    await this.statements.run(ADD, [chains], tx);
    return this.statements.run<ChainHead & object>(LOCK, [chains], tx);
  }

  /** Committed entries that are not sealed, in the order in which they were written. The heads must be locked first. */
  listUnsealed(tx: EntityManager, chains: readonly string[], limit: number): Promise<AuditEntry[]> {
    return this.statements.run<AuditEntry>(LIST_UNSEALED, [chains, limit], tx);
  }

  /** @returns how many of the entries were still unsealed */
  async seal(
    tx: EntityManager,
    seals: readonly { id: string; seq: number; prevHash: Buffer; hash: Buffer }[],
  ): Promise<number> {
    const columns = [
      seals.map(({ id }) => id),
      seals.map(({ seq }) => seq),
      seals.map(({ prevHash }) => prevHash),
      seals.map(({ hash }) => hash),
    ];
    return (await this.statements.run<{ count: number }>(SEAL, columns, tx))[0]!.count;
  }

  async advance(tx: EntityManager, heads: readonly ChainHead[]): Promise<void> {
    const columns = [heads.map(({ id }) => id), heads.map(({ seq }) => seq), heads.map(({ hash }) => hash)];
    await this.statements.run(ADVANCE, columns, tx);
  }

  async findHead(chain: string): Promise<ChainHead | null> {
    return (await this.statements.run<ChainHead & object>(HEAD, [chain]))[0] ?? null;
  }

  async listChains(): Promise<string[]> {
    return (await this.statements.run<{ id: string }>(LIST_CHAINS, [])).map(({ id }) => id);
  }

  /** Sealed entries in the order of their numbers, after the position `after`. */
  walk(chain: string, after: ChainPosition | null, limit: number): Promise<AuditEntry[]> {
    const ofTenant = chain !== NO_TENANT;
    const condition = ofTenant ? 'tenant_id = $2' : 'tenant_id IS NULL';
    const first = ofTenant ? 3 : 2;
    const behind = after ? `AND (seq, id) > ($${first}::bigint, $${first + 1}::uuid)` : '';
    const name = `${ofTenant ? 'tenant' : 'none'}_${after ? 'on' : 'start'}`;
    const values = [limit, ...(ofTenant ? [chain] : []), ...(after ? [after.seq, after.id] : [])];
    return this.statements.run<AuditEntry>(WALK(name, condition, behind), values);
  }

  /** @param chain null: of all chains */
  async countUnsealed(chain: string | null): Promise<number> {
    return (await this.statements.run<{ count: number }>(COUNT_UNSEALED, [chain]))[0]!.count;
  }
}
