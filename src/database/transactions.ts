import { Injectable } from '@nestjs/common';
import {
  DataSource,
  type EntityManager,
  QueryRunnerAlreadyReleasedError,
  QueryRunnerProviderAlreadyReleasedError,
} from 'typeorm';
import { ConnectionLost } from './connection-lost.js';
import { driverError, isUndone } from './violated-constraint.js';

const ATTEMPTS = 3;
/** The server ended this connection, or its socket broke. */
const CUT = new Set(['57P01', '08006', 'ECONNRESET', 'EPIPE']);
const CUT_MESSAGES = /^(?:Connection terminated|Client has encountered a connection error|Client was closed)/;
/** A cut connection is noticed at once. What took longer is an outage, and no request waits for that twice. */
const LONGEST_BEFORE_RETRY_MS = 1_000;

/** Opens transactions. Only services call it; `tx` is then passed on in plain sight. */
@Injectable()
export class Transactions {
  constructor(private readonly dataSource: DataSource) {}

  /**
   * One transaction (READ COMMITTED). `work` may run again, after a deadlock or a cut connection, so it must have no
   * effect outside `tx`. A connection cut during COMMIT is not tried again: the transaction may have been committed.
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
        const cutBeforeCommit =
          !committing && attempt === 1 && isCut(error) && performance.now() - begunAt < LONGEST_BEFORE_RETRY_MS;
        const undone = attempt < ATTEMPTS && isUndone(error);
        if (!cutBeforeCommit && !undone) throw error;
      }
    }
  }
}

/** TypeORM gives a broken connection back to the pool by itself; the transaction's next statement then fails like this. */
function isUseAfterLoss(error: unknown): boolean {
  return error instanceof QueryRunnerAlreadyReleasedError || error instanceof QueryRunnerProviderAlreadyReleasedError;
}

function isCut(error: unknown): boolean {
  const { code, message } = (driverError(error) ?? {}) as { code?: unknown; message?: unknown };
  return (typeof code === 'string' && CUT.has(code)) || (typeof message === 'string' && CUT_MESSAGES.test(message));
}
