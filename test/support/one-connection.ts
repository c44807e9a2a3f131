import { AsyncLocalStorage } from 'node:async_hooks';
import { MicroBatch } from '../../src/common/concurrency/micro-batch.js';
import { MeasuredPool } from '../../src/database/connection/measured-pool.js';
import { NotifiedCache } from '../../src/database/notifications/notified-cache.js';
import { TasksService } from '../../src/operations/tasks/tasks.service.js';
import { Transactions } from '../../src/database/transactions.js';

/**
 * Work of a transaction that takes another connection from the pool fails: as many of them at once as the pool has
 * connections would wait for each other, and everybody else for them. Imported wherever a service is started in a test.
 * What a cache or a batch reads is exempt, because one read serves many callers.
 */
const transaction = new AsyncLocalStorage<true>();

const { run } = Transactions.prototype;
Transactions.prototype.run = function <T>(this: Transactions, work: Parameters<typeof run<T>>[0]): Promise<T> {
  return run.call(this, (tx) => transaction.run(true, () => work(tx))) as Promise<T>;
};

const { connect } = MeasuredPool.prototype;
MeasuredPool.prototype.connect = function (this: MeasuredPool, ...args: Parameters<typeof connect>) {
  if (!transaction.getStore()) return connect.apply(this, args);
  const error = new Error('The work of a transaction took another connection: a call lacks `tx`');
  console.error(error);
  throw error;
} as typeof connect;

/** What another request does while a test is in a transaction. */
export function asAnotherRequest<T>(work: () => T): T {
  return transaction.exit(work);
}

/** Calls the method as if it were called from outside the transaction. */
function leave<Key extends string>(prototype: Record<Key, (...args: never[]) => unknown>, key: Key): void {
  const method = prototype[key];
  prototype[key] = function (this: unknown, ...args: never[]) {
    return transaction.exit(() => method.apply(this, args));
  };
}
leave(NotifiedCache.prototype as never, 'get');
leave(MicroBatch.prototype as never, 'run');
// An import shows its progress before it commits.
leave(TasksService.prototype as never, 'note');
