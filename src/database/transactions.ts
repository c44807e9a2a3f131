import { Injectable } from '@nestjs/common';
import {
  DataSource,
  type EntityManager,
  QueryRunnerAlreadyReleasedError,
  QueryRunnerProviderAlreadyReleasedError,
} from 'typeorm';
import { isConnectionCut } from '../common/errors/database-errors.js';
import { ConnectionLost } from './connection-lost.js';
import { driverError, isUndone } from './violated-constraint.js';

const ATTEMPTS = 3;
/** A closed connection is noticed at once. After a longer time, the database is down, and there is no retry. */
const MAX_BEFORE_RETRY_MS = 1_000;

/** Opens transactions. Only services call it, and pass `tx` on explicitly. */
@Injectable()
export class Transactions {
  constructor(private readonly dataSource: DataSource) {}

  /**
   * Runs a transaction (READ COMMITTED). `work` may run again after a deadlock or a lost connection, so it must have no
   * effect outside `tx`. A connection lost during COMMIT is not retried, because the transaction may have been
   * committed.
   */
  async run<T>(work: (tx: EntityManager) => Promise<T>): Promise<T> {
    const begunAt = performance.now();
    for (let attempt = 1; ; attempt++) {
      let committing = false;
      try {
        return await this.dataSource.transaction(async (tx) => {
          const result = await work(tx);
          committing = true;
          return result;
        });
      } catch (thrown) {
        const error = isUseAfterLoss(thrown) ? new ConnectionLost(thrown) : thrown;
        const isCut = isConnectionCut(driverError(error));
        const cutBeforeCommit =
          !committing && attempt === 1 && isCut && performance.now() - begunAt < MAX_BEFORE_RETRY_MS;
        const undone = attempt < ATTEMPTS && isUndone(error);
        if (!cutBeforeCommit && !undone) throw error;
      }
    }
  }
}

/** TypeORM returns a broken connection to the pool. The transaction's next statement then fails with this error. */
function isUseAfterLoss(error: unknown): boolean {
  return error instanceof QueryRunnerAlreadyReleasedError || error instanceof QueryRunnerProviderAlreadyReleasedError;
}
