import { Injectable } from '@nestjs/common';
import type { Actor } from '../common/actor.js';
import { type Holder, waysOf } from '../common/concurrency/shares.js';
import { Turns } from '../common/concurrency/turns.js';
import { type Snapshot, Snapshots } from '../database/queries/snapshots.js';
import type { AuditSelection } from './audit-list.query.js';
import { AuditRepository } from './audit.repository.js';
import type { AuditEntry } from './entries/audit-entry.entity.js';

/** Entries up to one moment. Nothing of it is held: entries are only ever added. */
export interface ExportedLog {
  /** An entry of a transaction that was still open is not counted, and may be in a later batch. */
  readonly count: number;
  readonly at: Date;
  /** Newest first. */
  readonly batches: AsyncGenerator<readonly AuditEntry[]>;
}

const BATCH = 500;
/** Counts and batches of tenants' exports that run at a time: each has one of the ten connections, and may have it for a minute. */
const AT_ONCE = 2;
const AT_ONCE_OF_TENANT = 1;
/** Of platform admins, who never wait for a tenant. */
const AT_ONCE_OF_PLATFORM = 1;

/** The log in bulk: however many entries, with no more than a batch of them in memory, and no connection between two batches. */
@Injectable()
export class AuditExports {
  private readonly turns = new Turns(AT_ONCE);
  private readonly turnsOfPlatform = new Turns(AT_ONCE_OF_PLATFORM);

  constructor(
    private readonly snapshots: Snapshots,
    private readonly entries: AuditRepository,
  ) {}

  /**
   * @param holders whose turn the reader takes, any of them; null: of a platform admin
   * @param signal ends when the reader has gone, who then waits for no turn
   * @throws what the signal says
   */
  async open(
    reader: Actor,
    selection: AuditSelection,
    holders: readonly Holder[] | null,
    signal: AbortSignal,
  ): Promise<ExportedLog> {
    const turns = holders === null ? this.turnsOfPlatform : this.turns;
    const { before } = selection;
    const turn = { ways: holders === null ? [[]] : waysOf(reader, holders, AT_ONCE_OF_TENANT), signal };
    const count = () => this.patiently((snapshot) => this.entries.count(snapshot, selection));
    const state = await turns.take(count, turn);
    const end = before && before < state.at ? before : state.at;
    const batches = this.entries.batches({ ...selection, before: end }, BATCH, (work) => this.patiently(work));
    return { ...state, batches: turns.each(batches, turn) };
  }

  /** In its own transaction, which may take its time. */
  private async patiently<T>(work: (snapshot: Snapshot) => Promise<T>): Promise<T> {
    const snapshot = await this.snapshots.open();
    try {
      return await work(snapshot);
    } finally {
      await snapshot.close();
    }
  }
}
