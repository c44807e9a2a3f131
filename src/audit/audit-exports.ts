import { Injectable } from '@nestjs/common';
import type { Actor } from '../common/actor.js';
import { type TenantOrApp, alternativeLimitsOf } from '../common/concurrency/caller-limits.js';
import { ConcurrencyLimiter } from '../common/concurrency/concurrency-limiter.js';
import { type Snapshot, Snapshots } from '../database/queries/snapshots.js';
import type { AuditSelection } from './audit-list.query.js';
import { AuditRepository } from './audit.repository.js';
import type { AuditEntry } from './entries/audit-entry.entity.js';

/** Entries up to one moment. Needs no lock, because entries are only ever added. */
export interface ExportedLog {
  /** Does not count entries of transactions that were still open; these may appear in a later batch. */
  readonly count: number;
  readonly at: Date;
  /** Newest first. */
  readonly batches: AsyncGenerator<readonly AuditEntry[]>;
}

const BATCH = 500;
/** Concurrent counts and batches for exports of tenants. Each uses one of ten connections, for up to a minute. */
const AT_ONCE = 2;
const AT_ONCE_OF_TENANT = 1;
/** For platform admins, so that they never wait for a tenant. */
const AT_ONCE_OF_PLATFORM = 1;

/** Reads the audit log in bulk, with at most one batch in memory, and no connection between two batches. */
@Injectable()
export class AuditExports {
  private readonly limiter = new ConcurrencyLimiter(AT_ONCE);
  private readonly limiterOfPlatform = new ConcurrencyLimiter(AT_ONCE_OF_PLATFORM);

  constructor(
    private readonly snapshots: Snapshots,
    private readonly entries: AuditRepository,
  ) {}

  /**
   * @param holders tenants or apps against whose limits the reader can count; null: a platform admin
   * @param signal aborted when the client has disconnected, which ends the wait
   * @throws the reason of the signal
   */
  async open(
    reader: Actor,
    selection: AuditSelection,
    holders: readonly TenantOrApp[] | null,
    signal: AbortSignal,
  ): Promise<ExportedLog> {
    const limiter = holders === null ? this.limiterOfPlatform : this.limiter;
    const { before } = selection;
    const options = {
      limits: holders === null ? [[]] : alternativeLimitsOf(reader, holders, AT_ONCE_OF_TENANT),
      signal,
    };
    const count = () => this.patiently((snapshot) => this.entries.count(snapshot, selection));
    const state = await limiter.run(count, options);
    const end = before && before < state.at ? before : state.at;
    const batches = this.entries.batches({ ...selection, before: end }, BATCH, (work) => this.patiently(work));
    return { ...state, batches: limiter.each(batches, options) };
  }

  /** Runs in its own transaction with a longer time limit. */
  private async patiently<T>(work: (snapshot: Snapshot) => Promise<T>): Promise<T> {
    const snapshot = await this.snapshots.open();
    try {
      return await work(snapshot);
    } finally {
      await snapshot.close();
    }
  }
}
