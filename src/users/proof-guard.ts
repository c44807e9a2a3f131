import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Statements } from '../database/statements.js';
import type { Proof } from './proof.js';
import { ProofOutdated } from './proof-outdated.js';

/** Only {@link ProofGuard} can create one: the private field prevents that any other object is used instead. */
class Held {
  readonly #tx: EntityManager;

  constructor(
    tx: EntityManager,
    readonly userId: string,
    readonly credentialsVersion: number,
  ) {
    this.#tx = tx;
  }

  /**
   * The user to whom inserted rows belong. The lock lasts until the transaction ends, so the proof is valid in no
   * other.
   * @throws Error in another transaction
   */
  userIn(tx: EntityManager): string {
    if (this.#tx !== tx) throw new Error('A proof counts only in the transaction that holds it');
    return this.userId;
  }
}

/**
 * A proof that is valid until the transaction ends. Everything that creates a session, a refresh token family, a code,
 * a challenge or a setup token requires one, and takes the user from it.
 */
export type HeldProof = Held;

interface Row extends Record<string, unknown> {
  readonly is_active: boolean;
  readonly credentials_version: number;
}

/**
 * NO KEY UPDATE instead of SHARE: a sign-in later writes `last_login_at` to the same row, and two with a shared lock
 * would deadlock. Rows that refer to the user can be inserted in the meantime.
 */
const LOCK = {
  name: 'users.hold_proof',
  text: 'SELECT is_active, credentials_version FROM users WHERE id = $1 FOR NO KEY UPDATE',
};

/**
 * The only place that checks a proof when it is used. A change of the account either waits until the issued rows are
 * committed, and ends them, or was committed before, and the proof is refused.
 */
@Injectable()
export class ProofGuard {
  constructor(private readonly statements: Statements) {}

  /**
   * Must be called first in the transaction, before other rows are locked and before the transaction itself changes the
   * account.
   * @throws ProofOutdated
   */
  async hold(tx: EntityManager, proof: Proof): Promise<HeldProof> {
    const [row] = await this.statements.run<Row>(LOCK, [proof.userId], tx);
    if (!row?.is_active || row.credentials_version !== proof.credentialsVersion) throw new ProofOutdated();
    return new Held(tx, proof.userId, row.credentials_version);
  }
}
