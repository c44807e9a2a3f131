import type { EntityManager } from 'typeorm';
import type { ImportedTenantView } from './import.view.js';

/** Receives the progress of a tenant import. */
export interface ImportProgress {
  /**
   * Number of written accounts and memberships, and their total. Called while the transaction is open, so it must not
   * use that transaction. If it fails, the import fails.
   */
  progress(done: number, total: number): Promise<void>;
  /** Called at the end of the transaction of the import, so that both are committed or neither is. */
  inSameTransaction(tx: EntityManager, imported: ImportedTenantView): Promise<void>;
}

export const NO_PROGRESS: ImportProgress = {
  progress: () => Promise.resolve(),
  inSameTransaction: () => Promise.resolve(),
};
