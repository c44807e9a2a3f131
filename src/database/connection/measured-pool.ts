import pg from 'pg';
import { gauge, histogram } from '../../common/metrics/process-metrics.js';

type Connected = Parameters<Parameters<pg.Pool['connect']>[0]>;

/** Names of the OpenTelemetry conventions for database clients. */
const WAITS = histogram({
  name: 'db_client_connection_wait_time_seconds',
  help: 'Time until the pool handed out a database connection',
  buckets: [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 2.5],
});

/** A pool with metrics: how long requests wait for a connection, and how many connections there are. */
export class MeasuredPool extends pg.Pool {
  constructor(options?: pg.PoolConfig) {
    super(options);
    const counts = { idle: () => this.idleCount, used: () => this.totalCount - this.idleCount };
    gauge(
      {
        name: 'db_client_connection_count',
        help: 'Open database connections of this process',
        labelNames: ['state'],
        aggregator: 'sum',
      },
      (metric) => Object.entries(counts).forEach(([state, count]) => metric.set({ state }, count())),
    );
    gauge({ name: 'db_client_connection_max', help: 'Most connections of the pool', aggregator: 'sum' }, (metric) =>
      metric.set(this.options.max),
    );
    // More than 0 only while this process has no idle connection, so the sum over processes shows if one is exhausted.
    gauge(
      {
        name: 'db_client_connection_pending_requests',
        help: 'Statements and transactions that wait for a connection',
        aggregator: 'sum',
      },
      (metric) => metric.set(this.waitingCount),
    );
  }

  override connect(): Promise<pg.PoolClient>;
  override connect(callback: (...connected: Connected) => void): void;
  override connect(callback?: (...connected: Connected) => void): Promise<pg.PoolClient> | void {
    const begunAt = performance.now();
    const waited = (): void => WAITS.observe((performance.now() - begunAt) / 1_000);
    if (!callback) return super.connect().finally(waited);
    super.connect((...connected) => {
      waited();
      callback(...connected);
    });
  }
}
