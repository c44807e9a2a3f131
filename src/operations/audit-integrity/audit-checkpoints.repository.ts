import { Injectable } from '@nestjs/common';
import { Statements } from '../../database/statements.js';
import type { ChainHead } from '../../audit/chain/audit-chains.repository.js';

export interface StoredCheckpoint {
  readonly chain: string;
  readonly seq: number;
  readonly hash: Buffer;
  readonly jws: string;
}

const LIST_DUE = {
  name: 'audit_checkpoints_due',
  text: `SELECT c.id, c.last_seq::float8 AS seq, c.last_hash AS hash
    FROM audit_chains c LEFT JOIN LATERAL (
      SELECT p.seq, p.created_at FROM audit_checkpoints p WHERE p.chain_id = c.id ORDER BY p.seq DESC LIMIT 1) AS last ON true
    WHERE c.last_seq > coalesce(last.seq, 0)
      AND coalesce(last.created_at, '-infinity') <= now() - make_interval(secs => $1)
    ORDER BY c.id LIMIT $2`,
};
const INSERT = {
  name: 'audit_checkpoints_insert',
  text: `INSERT INTO audit_checkpoints (chain_id, seq, hash, kid, jws)
    SELECT * FROM unnest($1::uuid[], $2::bigint[], $3::bytea[], $4::text[], $5::text[]) ON CONFLICT DO NOTHING`,
};
const LAST = {
  name: 'audit_checkpoints_last',
  text: 'SELECT coalesce(max(seq), 0)::float8 AS seq FROM audit_checkpoints WHERE chain_id = $1',
};
const LIST_UP_TO = {
  name: 'audit_checkpoints_up_to',
  text: `SELECT chain_id AS chain, seq::float8 AS seq, hash, jws FROM audit_checkpoints
    WHERE chain_id = $1 AND ($2::bigint IS NULL OR seq > $2) AND seq <= $3 ORDER BY seq`,
};
const LIST_NEWEST = {
  name: 'audit_checkpoints_newest',
  text: `SELECT DISTINCT ON (chain_id) chain_id AS chain, seq::float8 AS seq, hash, jws FROM audit_checkpoints
    ORDER BY chain_id, seq DESC`,
};
const LIST_CHAINS = {
  name: 'audit_checkpoints_chains',
  text: `WITH RECURSIVE chain AS (
      (SELECT chain_id AS id FROM audit_checkpoints ORDER BY chain_id LIMIT 1)
      UNION ALL
      SELECT next.id FROM chain, LATERAL (
        SELECT chain_id AS id FROM audit_checkpoints WHERE chain_id > chain.id ORDER BY chain_id LIMIT 1) AS next)
    SELECT id FROM chain`,
};

/** All statements on `audit_checkpoints`. */
@Injectable()
export class AuditCheckpointsRepository {
  constructor(private readonly statements: Statements) {}

  /** Heads of chains that have grown since their last checkpoint, if it is at least this old or there is none. */
  listDue(ageSeconds: number, limit: number): Promise<ChainHead[]> {
    return this.statements.run<ChainHead & object>(LIST_DUE, [ageSeconds, limit]);
  }

  async insert(checkpoints: readonly (StoredCheckpoint & { readonly kid: string })[]): Promise<void> {
    await this.statements.run(INSERT, [
      checkpoints.map(({ chain }) => chain),
      checkpoints.map(({ seq }) => seq),
      checkpoints.map(({ hash }) => hash),
      checkpoints.map(({ kid }) => kid),
      checkpoints.map(({ jws }) => jws),
    ]);
  }

  /** Number of the entry in the latest checkpoint; 0 if there is none. */
  async lastSeq(chain: string): Promise<number> {
    return (await this.statements.run<{ seq: number }>(LAST, [chain]))[0]!.seq;
  }

  /** @param after null: from the first one */
  listUpTo(chain: string, after: number | null, last: number): Promise<StoredCheckpoint[]> {
    return this.statements.run<StoredCheckpoint & object>(LIST_UP_TO, [chain, after, last]);
  }

  /** The latest checkpoint of each chain. */
  listNewest(): Promise<StoredCheckpoint[]> {
    return this.statements.run<StoredCheckpoint & object>(LIST_NEWEST, []);
  }

  async listChains(): Promise<string[]> {
    return (await this.statements.run<{ id: string }>(LIST_CHAINS, [])).map(({ id }) => id);
  }
}
