import { Injectable } from '@nestjs/common';
import { Snapshots } from '../database/snapshots.js';
import type { AuditSelection } from './audit-list.query.js';
import { AuditRepository } from './audit.repository.js';
import type { AuditEntry } from './entries/audit-entry.entity.js';

/** Entries up to one moment. Nothing of it is held: entries are only ever added. */
export interface ExportedLog {
  readonly count: number;
  readonly at: Date;
  /** Newest first. */
  readonly batches: AsyncGenerator<readonly AuditEntry[]>;
}

const BATCH = 500;

/** The log in bulk: however many entries, with no more than a batch of them in memory, and no connection between two batches. */
@Injectable()
export class AuditExports {
  constructor(
    private readonly snapshots: Snapshots,
    private readonly entries: AuditRepository,
  ) {}

  async open(selection: AuditSelection): Promise<ExportedLog> {
    const state = await this.count(selection);
    const { before } = selection;
    const end = before && before < state.at ? before : state.at;
    return { ...state, batches: this.entries.batches({ ...selection, before: end }, BATCH) };
  }

  /** In a transaction of its own, which may take its time. */
  private async count(selection: AuditSelection): Promise<{ count: number; at: Date }> {
    const snapshot = await this.snapshots.open();
    try {
      return await this.entries.count(snapshot, selection);
    } finally {
      await snapshot.close();
    }
  }
}
