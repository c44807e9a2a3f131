import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Brackets, type EntityManager, type QueryDeepPartialEntity, Repository } from 'typeorm';
import type { Scope } from '../common/actor.js';
import { AuditEntry } from './audit-entry.entity.js';

export interface AuditFilter {
  readonly scope: Scope;
  readonly tenantId?: string;
  readonly appId?: string;
  readonly userId?: string;
  readonly action?: string;
  readonly before?: Date;
  readonly after?: Date;
  readonly limit: number;
  /** From 1. */
  readonly page: number;
}

@Injectable()
export class AuditRepository {
  constructor(@InjectRepository(AuditEntry) private readonly repository: Repository<AuditEntry>) {}

  async insert(tx: EntityManager, entry: Partial<AuditEntry> & { id: string }): Promise<void> {
    await tx.insert(AuditEntry, entry as QueryDeepPartialEntity<AuditEntry>);
  }

  list(filter: AuditFilter): Promise<AuditEntry[]> {
    const query = this.repository.createQueryBuilder('entry');
    if (!filter.scope.everything) {
      query.where(
        new Brackets((cut) =>
          cut
            .where('entry.tenantId = ANY(:tenantIds)', { tenantIds: filter.scope.tenantIds })
            .orWhere('entry.appId = ANY(:appIds)', { appIds: filter.scope.appIds }),
        ),
      );
    }
    if (filter.tenantId) query.andWhere('entry.tenantId = :tenantId', { tenantId: filter.tenantId });
    if (filter.appId) query.andWhere('entry.appId = :appId', { appId: filter.appId });
    if (filter.userId) query.andWhere('entry.userId = :userId', { userId: filter.userId });
    if (filter.action) query.andWhere('entry.action = :action', { action: filter.action });
    if (filter.before) query.andWhere('entry.createdAt < :before', { before: filter.before });
    if (filter.after) query.andWhere('entry.createdAt > :after', { after: filter.after });
    return query
      .orderBy('entry.createdAt', 'DESC')
      .addOrderBy('entry.id', 'DESC')
      .take(filter.limit)
      .skip((filter.page - 1) * filter.limit)
      .getMany();
  }
}
