import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Statements } from '../database/statements.js';
import type { Proof } from './proof.js';
import { ProofOutdated } from './proof-outdated.js';

/** Only {@link ProofGuard} makes one: the private field keeps anything else from being taken for it. */
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
   * Whom what is inserted belongs to. The lock lasts until its transaction ends, so the proof counts in no other.
   * @throws Error in another transaction
   */
  userIn(tx: EntityManager): string {
    if (this.#tx !== tx) throw new Error('A proof counts only in the transaction that holds it');
    return this.userId;
  }
}

/**
 * A proof that is true until the transaction ends. Whatever makes a session, a refresh family, a code, a challenge or a
 * set-up token asks for one, and takes the user from it.
 */
export type HeldProof = Held;

interface Row extends Record<string, unknown> {
  readonly is_active: boolean;
  readonly credentials_version: number;
}

/**
 * NO KEY UPDATE and not SHARE: a sign-in goes on to write `last_login_at` into the same row, and two that shared the
 * lock would wait for each other. Rows that refer to the user can be inserted meanwhile.
 */
const LOCK = {
  name: 'users.hold_proof',
  text: 'SELECT is_active, credentials_version FROM users WHERE id = $1 FOR NO KEY UPDATE',
};

/**
 * The one place where a proof is checked when it is spent. A change of the account either waits until what was issued
 * is committed, and ends it, or was there first, and the proof is refused.
 */
@Injectable()
export class ProofGuard {
  constructor(private readonly statements: Statements) {}

  /**
   * First of all in the transaction, before other rows are locked and before the transaction itself changes the account.
   * @throws ProofOutdated
   */
  async hold(tx: EntityManager, proof: Proof): Promise<HeldProof> {
    const [row] = await this.statements.run<Row>(LOCK, [proof.userId], tx);
    if (!row?.is_active || row.credentials_version !== proof.credentialsVersion) throw new ProofOutdated();
    return new Held(tx, proof.userId, row.credentials_version);
  }
}
