import { Injectable } from '@nestjs/common';
import { purgeExpired } from '../../database/purge-expired.js';
import { type Statement, Statements } from '../../database/statements.js';

export interface NewSpentProof {
  readonly hash: Buffer;
  readonly expiresAt: Date;
}

/** In the order of the hashes: two batches with the same proofs must not wait for each other. */
const SPEND: Statement = {
  name: 'tokens.spend_proofs',
  text: `INSERT INTO spent_proofs (proof_hash, expires_at)
    SELECT proof_hash, max(expires_at) FROM unnest($1::bytea[], $2::timestamptz[]) AS shown (proof_hash, expires_at)
    GROUP BY proof_hash ORDER BY proof_hash
    ON CONFLICT (proof_hash) DO NOTHING RETURNING proof_hash AS hash`,
};

@Injectable()
export class SpentProofsRepository {
  constructor(private readonly statements: Statements) {}

  /** @returns the hashes that had not been spent before, each once, decided by the database */
  async spend(proofs: readonly NewSpentProof[]): Promise<Buffer[]> {
    const values = [proofs.map(({ hash }) => hash), proofs.map(({ expiresAt }) => expiresAt)];
    return (await this.statements.run<{ hash: Buffer }>(SPEND, values)).map(({ hash }) => hash);
  }

  purge(): Promise<void> {
    return purgeExpired(this.statements, 'spent_proofs', '1 hour');
  }
}
