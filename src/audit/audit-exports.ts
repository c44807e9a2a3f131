import { Injectable } from '@nestjs/common';
import { Snapshots } from '../database/snapshots.js';
import type { AuditSelection } from './audit-list.query.js';
import { AuditRepository } from './audit.repository.js';
import type { AuditEntry } from './entries/audit-entry.entity.js';

/** Entries as they were at one moment. It holds a connection until it is closed. */
export interface AuditSnapshot {
  readonly count: number;
  readonly at: Date;
  /** Newest first. */
  readonly batches: AsyncGenerator<readonly AuditEntry[]>;
  close(): Promise<void>;
}

const BATCH = 500;

/** The log in bulk: one consistent state, however many entries, with no more than a batch of them in memory. */
@Injectable()
export class AuditExports {
  constructor(
    private readonly snapshots: Snapshots,
    private readonly entries: AuditRepository,
  ) {}

  async open(selection: AuditSelection): Promise<AuditSnapshot> {
    const snapshot = await this.snapshots.open();
    try {
      const state = await this.entries.count(snapshot, selection);
      return { ...state, batches: this.entries.batches(snapshot, selection, BATCH), close: () => snapshot.close() };
    } catch (error) {
      await snapshot.close();
      throw error;
    }
  }
}
