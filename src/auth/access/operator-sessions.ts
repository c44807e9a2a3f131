import type { EntityManager } from 'typeorm';

/** The console sessions of operators, which a higher module owns; its provider is found by its type. */
export abstract class OperatorSessions {
  /**
   * Whether a session and its browser's SSO session are active.
   * @param tx prevents their end until this transaction ends
   */
  abstract isAlive(id: string, tx?: EntityManager): Promise<boolean>;
}
