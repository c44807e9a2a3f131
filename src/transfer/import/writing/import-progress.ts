import type { EntityManager } from 'typeorm';
import type { ImportedTenantView } from './import.view.js';

/** A user who looks on while a tenant is imported. */
export interface ImportProgress {
  /** How many accounts and memberships are written of how many. Told while the transaction is open, so never in it. */
  progress(done: number, total: number): Promise<void>;
  /** At the end of the transaction of the import: both or neither. */
  inSameTransaction(tx: EntityManager, imported: ImportedTenantView): Promise<void>;
}

export const NO_PROGRESS: ImportProgress = {
  progress: () => Promise.resolve(),
  inSameTransaction: () => Promise.resolve(),
};
