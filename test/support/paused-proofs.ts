import type { EntityManager } from 'typeorm';
import type { TestingModuleBuilder } from '@nestjs/testing';
import { Statements } from '../../src/database/statements.js';
import type { Proof } from '../../src/users/proof.js';
import { type HeldProof, ProofGuard } from '../../src/users/proof-guard.js';

/** A sign-in that stands between its proof and what it is about to be given. */
export interface Pause {
  readonly reached: Promise<void>;
  goOn(): void;
}

/** The real guard, which waits where it is told to before it looks: once, for one user. */
export class PausedProofs extends ProofGuard {
  private readonly waiting = new Map<string, { arrive: () => void; opened: Promise<void> }>();

  static into(builder: TestingModuleBuilder): TestingModuleBuilder {
    const factory = (statements: Statements) => new PausedProofs(statements);
    return builder.overrideProvider(ProofGuard).useFactory({ factory, inject: [Statements] });
  }

  pause(userId: string): Pause {
    let arrive = () => {};
    let goOn = () => {};
    const reached = new Promise<void>((resolve) => (arrive = resolve));
    const opened = new Promise<void>((resolve) => (goOn = resolve));
    this.waiting.set(userId, { arrive, opened });
    return { reached, goOn };
  }

  override async hold(tx: EntityManager, proof: Proof): Promise<HeldProof> {
    const waiting = this.waiting.get(proof.userId);
    this.waiting.delete(proof.userId);
    waiting?.arrive();
    await waiting?.opened;
    return super.hold(tx, proof);
  }
}
