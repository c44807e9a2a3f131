import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { type EntityManager, type QueryDeepPartialEntity, Repository } from 'typeorm';
import type { PageCursor } from '../common/page-cursor.js';
import { DeepPages, type PageStart } from '../database/deep-pages.js';
import type { Snapshot } from '../database/snapshots.js';
import type { Query } from '../database/query.js';
import { AuditEntry } from './entries/audit-entry.entity.js';
import {
  type AuditFilter,
  type AuditSelection,
  auditCountQuery,
  auditExportQuery,
  auditListQuery,
  auditMilestonesQuery,
  auditTotalQuery,
} from './audit-list.query.js';

/** An entry as it was found, with its place in the list. */
export type ListedEntry = AuditEntry & { readonly micros: string };

@Injectable()
export class AuditRepository {
  constructor(
    @InjectRepository(AuditEntry) private readonly repository: Repository<AuditEntry>,
    private readonly deepPages: DeepPages,
  ) {}

  async insert(tx: EntityManager, entry: Partial<AuditEntry> & { id: string }): Promise<void> {
    await tx.insert(AuditEntry, entry as QueryDeepPartialEntity<AuditEntry>);
  }

  async insertAll(tx: EntityManager, entries: readonly (Partial<AuditEntry> & { id: string })[]): Promise<void> {
    await tx.insert(AuditEntry, entries as QueryDeepPartialEntity<AuditEntry>[]);
  }

  /** Newest first; one more than `filter.limit` where there is a next page. */
  async list(filter: AuditFilter): Promise<ListedEntry[]> {
    return this.ask<ListedEntry>(auditListQuery(filter, await this.place(filter)));
  }

  async count(snapshot: Snapshot, selection: AuditSelection): Promise<{ count: number; at: Date }> {
    const [found] = await snapshot.ask<{ count: number; at: Date }>(auditTotalQuery(selection));
    return found!;
  }

  /** Newest first, in batches. */
  batches(snapshot: Snapshot, selection: AuditSelection, size: number): AsyncGenerator<AuditEntry[]> {
    return snapshot.rows<AuditEntry>(auditExportQuery(selection), size);
  }

  private place(filter: AuditFilter): Promise<PageStart> {
    return this.deepPages.find('audit', filter, {
      milestones: (every) => this.ask<PageCursor>(auditMilestonesQuery(filter, every)),
      countAhead: async (place, most) => {
        const [found] = await this.ask<{ count: number }>(auditCountQuery(filter, most, { side: 'ahead of', place }));
        return found!.count;
      },
    });
  }

  private ask<Row>({ text, values }: Query): Promise<Row[]> {
    return this.repository.query<Row[]>(text, values);
  }
}
