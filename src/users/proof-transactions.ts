import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Transactions } from '../database/transactions.js';
import type { Proof } from './proof.js';
import { type HeldProof, ProofGuard } from './proof-guard.js';

/** Transactions for a user with a proof: each locks and compares the proof before anything else. */
@Injectable()
export class ProofTransactions {
  constructor(
    private readonly proofs: ProofGuard,
    private readonly transactions: Transactions,
  ) {}

  /** @throws ProofOutdated */
  run<T>(proof: Proof, work: (tx: EntityManager, held: HeldProof) => Promise<T>): Promise<T> {
    return this.transactions.run(async (tx) => work(tx, await this.proofs.hold(tx, proof)));
  }
}
