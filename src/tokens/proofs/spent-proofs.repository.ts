import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { purgeExpired } from '../../database/purge-expired.js';
import { type Statement, Statements } from '../../database/statements.js';

export interface NewSpentProof {
  readonly hash: Buffer;
  readonly expiresAt: Date;
}

/** In the order of the hashes, so that two batches with the same proofs cannot deadlock. */
const SPEND: Statement = {
  name: 'tokens.spend_proofs',
  text: `INSERT INTO spent_proofs (proof_hash, expires_at)
    SELECT proof_hash, max(expires_at) FROM unnest($1::bytea[], $2::timestamptz[]) AS shown (proof_hash, expires_at)
    GROUP BY proof_hash ORDER BY proof_hash
    ON CONFLICT (proof_hash) DO NOTHING RETURNING proof_hash AS hash`,
};

const FIND: Statement = {
  name: 'tokens.find_spent_proofs',
  text: 'SELECT proof_hash AS hash FROM spent_proofs WHERE proof_hash = ANY($1::bytea[])',
};

@Injectable()
export class SpentProofsRepository {
  constructor(private readonly statements: Statements) {}

  /** @returns the hashes that were not used before, each once, decided by the database */
  async spend(proofs: readonly NewSpentProof[], tx?: EntityManager): Promise<Buffer[]> {
    const values = [proofs.map(({ hash }) => hash), proofs.map(({ expiresAt }) => expiresAt)];
    return (await this.statements.run<{ hash: Buffer }>(SPEND, values, tx)).map(({ hash }) => hash);
  }

  /** @returns those of the hashes that are stored */
  async find(hashes: readonly Buffer[]): Promise<Buffer[]> {
    return (await this.statements.run<{ hash: Buffer }>(FIND, [hashes])).map(({ hash }) => hash);
  }

  purge(): Promise<void> {
    return purgeExpired(this.statements, 'spent_proofs', '1 hour');
  }
}
