import type { EntityManager } from 'typeorm';

/** The sessions of operators in the console, which this module does not own: it finds who does. */
export abstract class OperatorSessions {
  /**
   * Whether a session and the browser's sign-in that it hangs on have not ended.
   * @param tx it stays so until this transaction ends
   */
  abstract isAlive(id: string, tx?: EntityManager): Promise<boolean>;
}
