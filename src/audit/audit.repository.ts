import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { type EntityManager, type QueryDeepPartialEntity, Repository } from 'typeorm';
import type { PageCursor } from '../common/lists/page-cursor.js';
import { DeepPages, type PageStart } from '../database/queries/deep-pages.js';
import type { Snapshot } from '../database/queries/snapshots.js';
import type { Query } from '../database/queries/query.js';
import { snakeCase } from '../database/connection/snake-naming.js';
import { type Statement, Statements } from '../database/statements.js';
import { AuditEntry } from './entries/audit-entry.entity.js';
import {
  type AuditFilter,
  type AuditSelection,
  auditCountQuery,
  auditListQuery,
  auditMilestonesQuery,
  auditTotalQuery,
} from './audit-list.query.js';

/** An entry with its position in the list. */
export type ListedEntry = AuditEntry & { readonly micros: string };

type FoundEntry = ListedEntry & { readonly inPage: number };

/** Entries that fit in one page. */
interface EntriesOfPage {
  readonly entries: readonly ListedEntry[];
  readonly hasMore: boolean;
}

type InSnapshot = <T>(work: (snapshot: Snapshot) => Promise<T>) => Promise<T>;

/** Columns of a new entry. The database sets the time and the order, the sealer adds the hashes. */
const INSERTED = [
  'id',
  'action',
  'outcome',
  'actorType',
  'actorId',
  'actorEmail',
  'actingAs',
  'userId',
  'tenantId',
  'appId',
  'targetType',
  'targetId',
  'ipAddress',
  'userAgent',
  'requestId',
  'metadata',
] as const satisfies readonly (keyof AuditEntry)[];

/** A prepared statement, because every change and every sign-in writes an entry. */
const INSERT: Statement = {
  name: 'audit.insert',
  text: `INSERT INTO audit_entries (${INSERTED.map(snakeCase).join(', ')})
    VALUES (${INSERTED.map((_, index) => `$${index + 1}`).join(', ')})`,
};

export type NewAuditEntry = Pick<AuditEntry, (typeof INSERTED)[number]>;

@Injectable()
export class AuditRepository {
  constructor(
    @InjectRepository(AuditEntry) private readonly repository: Repository<AuditEntry>,
    private readonly deepPages: DeepPages,
    private readonly statements: Statements,
  ) {}

  async insert(tx: EntityManager, entry: NewAuditEntry): Promise<void> {
    await this.statements.run(
      INSERT,
      INSERTED.map((column) => entry[column]),
      tx,
    );
  }

  async insertAll(tx: EntityManager, entries: readonly NewAuditEntry[]): Promise<void> {
    await tx.insert(AuditEntry, [...entries] as QueryDeepPartialEntity<AuditEntry>[]);
  }

  /** Newest first. A page with large entries has fewer than `filter.limit`: see {@link auditListQuery}. */
  async list(filter: AuditFilter): Promise<EntriesOfPage> {
    return pageOf(await this.ask<FoundEntry>(auditListQuery(filter, await this.startOfPage(filter))), filter.limit);
  }

  async count(snapshot: Snapshot, selection: AuditSelection): Promise<{ count: number; at: Date }> {
    const [found] = await snapshot.ask<{ count: number; at: Date }>(auditTotalQuery(selection));
    return found!;
  }

  /** Newest first, in batches. Each batch continues where the last one ended, in its own snapshot. */
  async *batches(
    selection: AuditSelection,
    size: number,
    inSnapshot: InSnapshot,
  ): AsyncGenerator<readonly AuditEntry[]> {
    const filter = { ...selection, limit: size, page: 1, cursor: null };
    for (let after: PageCursor | null = null; ;) {
      const query = auditListQuery(filter, { after, skip: 0 });
      const found: FoundEntry[] = await inSnapshot((snapshot) => snapshot.ask<FoundEntry>(query));
      const { entries, hasMore }: EntriesOfPage = pageOf(found, size);
      if (entries.length > 0) yield entries;
      if (!hasMore) return;
      after = entries.at(-1)!;
    }
  }

  private startOfPage(filter: AuditFilter): Promise<PageStart> {
    return this.deepPages.find('audit', filter, {
      milestones: (every) => this.ask<PageCursor>(auditMilestonesQuery(filter, every)),
      countAhead: async (cursor, most) => {
        const [found] = await this.ask<{ count: number }>(auditCountQuery(filter, most, { side: 'ahead of', cursor }));
        return found!.count;
      },
    });
  }

  private ask<Row>({ text, values }: Query): Promise<Row[]> {
    return this.repository.query<Row[]>(text, values);
  }
}

/** The query finds one entry more than the page has if there is a next page. */
function pageOf(found: readonly FoundEntry[], limit: number): EntriesOfPage {
  const entries = found.slice(0, limit);
  return { entries, hasMore: (found[0]?.inPage ?? 0) > entries.length };
}
