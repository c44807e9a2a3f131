import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { type EntityManager, type QueryDeepPartialEntity, Repository } from 'typeorm';
import { AuditEntry } from './audit-entry.entity.js';
import { type AuditFilter, auditListQuery } from './audit-list.query.js';

/** An entry as it was found, with its place in the list. */
export type ListedEntry = AuditEntry & { readonly micros: string };

@Injectable()
export class AuditRepository {
  constructor(@InjectRepository(AuditEntry) private readonly repository: Repository<AuditEntry>) {}

  async insert(tx: EntityManager, entry: Partial<AuditEntry> & { id: string }): Promise<void> {
    await tx.insert(AuditEntry, entry as QueryDeepPartialEntity<AuditEntry>);
  }

  async insertAll(tx: EntityManager, entries: readonly (Partial<AuditEntry> & { id: string })[]): Promise<void> {
    await tx.insert(AuditEntry, entries as QueryDeepPartialEntity<AuditEntry>[]);
  }

  /** Newest first; one more than `filter.limit` where there is a next page. */
  list(filter: AuditFilter): Promise<ListedEntry[]> {
    const { text, values } = auditListQuery(filter);
    return this.repository.query<ListedEntry[]>(text, values);
  }
}
