import { Injectable } from '@nestjs/common';
import { Turns } from '../common/turns.js';
import { type Snapshot, Snapshots } from '../database/snapshots.js';
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
/** Counts and batches that run at a time, of all exports together: each has one of the ten connections. */
const AT_ONCE = 2;

/** The log in bulk: however many entries, with no more than a batch of them in memory, and no connection between two batches. */
@Injectable()
export class AuditExports {
  private readonly turns = new Turns(AT_ONCE);

  constructor(
    private readonly snapshots: Snapshots,
    private readonly entries: AuditRepository,
  ) {}

  async open(selection: AuditSelection): Promise<ExportedLog> {
    const state = await this.turns.take(() => this.patiently((snapshot) => this.entries.count(snapshot, selection)));
    const { before } = selection;
    const end = before && before < state.at ? before : state.at;
    const batches = this.entries.batches({ ...selection, before: end }, BATCH, (work) => this.patiently(work));
    return { ...state, batches: this.turns.each(batches) };
  }

  /** In a transaction of its own, which may take its time. */
  private async patiently<T>(work: (snapshot: Snapshot) => Promise<T>): Promise<T> {
    const snapshot = await this.snapshots.open();
    try {
      return await work(snapshot);
    } finally {
      await snapshot.close();
    }
  }
}
