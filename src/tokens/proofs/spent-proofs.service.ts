import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { MicroBatch } from '../../common/concurrency/micro-batch.js';
import { type NewSpentProof, SpentProofsRepository } from './spent-proofs.repository.js';

const BATCH_SIZE = 64;
const BATCHES_UNDER_WAY = 2;
/** As long as the wait for a database connection. */
const MAX_WAIT_MS = 2_000;

/** Identifies a proof: two clients may choose the same `jti`. */
export interface ProofName {
  /** `revoked_service_token`: a token that is no longer accepted. */
  readonly kind: 'assertion' | 'dpop' | 'revoked_service_token';
  readonly owner: string;
  readonly jti: string;
}

/** Proofs that can be used once, in all processes together. */
@Injectable()
export class SpentProofs {
  private readonly batches: MicroBatch<NewSpentProof, boolean>;
  private readonly lookups: MicroBatch<Buffer, boolean>;

  constructor(private readonly repository: SpentProofsRepository) {
    this.batches = new MicroBatch((batch) => this.spendBatch(batch), BATCH_SIZE, BATCHES_UNDER_WAY, MAX_WAIT_MS);
    this.lookups = new MicroBatch((hashes) => this.findBatch(hashes), BATCH_SIZE, BATCHES_UNDER_WAY, MAX_WAIT_MS);
  }

  /**
   * @param until Unix seconds after which the proof is not accepted anyway
   * @returns whether this is its first use
   */
  spend(name: ProofName, until: number): Promise<boolean> {
    return this.batches.run(newProof(name, until));
  }

  /**
   * Ends a token that can be used more than once, in the transaction that revokes it.
   * @returns whether it was valid until now
   */
  async deny(tx: EntityManager, name: ProofName, until: number): Promise<boolean> {
    return (await this.repository.spend([newProof(name, until)], tx)).length > 0;
  }

  /** Whether {@link deny} has ended it in any process, as currently committed. */
  isDenied(name: ProofName): Promise<boolean> {
    return this.lookups.run(hashOf(name));
  }

  /** A proof that occurs twice in one batch is used once as well. */
  private async spendBatch(batch: readonly NewSpentProof[]): Promise<boolean[]> {
    const first = new Set((await this.repository.spend(batch)).map((hash) => hash.toString('hex')));
    return batch.map(({ hash }) => first.delete(hash.toString('hex')));
  }

  private async findBatch(hashes: readonly Buffer[]): Promise<boolean[]> {
    const spent = new Set((await this.repository.find(hashes)).map((hash) => hash.toString('hex')));
    return hashes.map((hash) => spent.has(hash.toString('hex')));
  }
}

function newProof(name: ProofName, until: number): NewSpentProof {
  return { hash: hashOf(name), expiresAt: new Date(until * 1000) };
}

function hashOf({ kind, owner, jti }: ProofName): Buffer {
  return createHash('sha256')
    .update(JSON.stringify([kind, owner, jti]))
    .digest();
}
