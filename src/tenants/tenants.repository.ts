import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { In, type EntityManager, Repository } from 'typeorm';
import type { Scope } from '../common/actor.js';
import type { Sorting } from '../common/lists/sorting.js';
import type { TenantSortColumn } from './tenant-sort.js';
import { ProtectedResourceName } from './protected-resource-name.entity.js';
import type { AcceptedClients } from './accepted-clients.js';
import { Tenant } from './tenant.entity.js';

const SORTED_BY: Readonly<Record<TenantSortColumn, string>> = { name: 'lower(tenant.name)', state: 'tenant.isActive' };

export interface TenantPage {
  /** From 1. */
  readonly page: number;
  readonly limit: number;
  readonly sorting?: Sorting<TenantSortColumn> | null;
  /** Part of the name or of the slug, case-insensitive; or the id. */
  readonly search?: string;
}

@Injectable()
export class TenantsRepository {
  constructor(@InjectRepository(Tenant) private readonly repository: Repository<Tenant>) {}

  find(id: string, tx?: EntityManager): Promise<Tenant | null> {
    return (tx?.getRepository(Tenant) ?? this.repository).findOneBy({ id });
  }

  findBySlug(slug: string): Promise<Tenant | null> {
    return this.repository.findOneBy({ slug });
  }

  /** @param identifier normalized by `comparedIdentifier` */
  findByResource(identifier: string): Promise<Tenant | null> {
    return this.repository
      .createQueryBuilder('tenant')
      .innerJoin(ProtectedResourceName, 'name', 'name.tenantId = tenant.id AND name.identifier = :identifier', {
        identifier,
      })
      .getOne();
  }

  async acceptedClients(): Promise<AcceptedClients> {
    const [row] = await this.repository.query<AcceptedClients[]>(`
      SELECT coalesce(bool_or(client_document_hosts <> '{}'), false) AS documents,
        coalesce(bool_or(client_registration), false) AS registrations
      FROM tenants WHERE is_active`);
    return row!;
  }

  /**
   * Locks the row until the transaction ends. Rows that refer to the tenant can still be inserted; otherwise an import
   * that has created an app would block every change of the tenant.
   */
  findForUpdate(tx: EntityManager, id: string): Promise<Tenant | null> {
    return tx.getRepository(Tenant).findOne({ where: { id }, lock: { mode: 'for_no_key_update' } });
  }

  /** Newest first. */
  listByIds(ids: readonly string[]): Promise<Tenant[]> {
    return this.repository.find({ where: { id: In([...ids]) }, order: { createdAt: 'DESC', id: 'DESC' } });
  }

  /** Newest first, unless sorted, with the total. @param page from 1 */
  async listPage(
    scope: Scope,
    { page, limit, search, sorting }: TenantPage,
  ): Promise<{ tenants: Tenant[]; total: number }> {
    const query = this.repository.createQueryBuilder('tenant');
    if (!scope.everything) query.where('tenant.id = ANY(:ids)', { ids: scope.tenantIds });
    if (sorting) query.orderBy(SORTED_BY[sorting.by], sorting.isDescending ? 'DESC' : 'ASC');
    query.addOrderBy('tenant.createdAt', 'DESC').addOrderBy('tenant.id', 'DESC');
    if (search) {
      query.andWhere(
        `(position(lower(:search) IN lower(tenant.name)) > 0 OR position(lower(:search) IN tenant.slug) > 0
          OR tenant.id::text = lower(:search))`,
        { search },
      );
    }
    const [tenants, total] = await query
      .take(limit)
      .skip((page - 1) * limit)
      .getManyAndCount();
    return { tenants, total };
  }

  isSlugTaken(slug: string): Promise<boolean> {
    return this.repository.existsBy({ slug });
  }

  /** Locks the slug until the transaction ends, so that two tenants with the same name cannot both take a free slug. */
  async slugsLike(tx: EntityManager, slug: string): Promise<Set<string>> {
    await tx.query('SELECT pg_advisory_xact_lock(hashtext($1))', [`tenant slug ${slug}`]);
    const rows = await tx
      .getRepository(Tenant)
      .createQueryBuilder('tenant')
      .select('tenant.slug', 'slug')
      .where('tenant.slug = :slug OR tenant.slug LIKE :numbered', { slug, numbered: `${slug}-%` })
      .getRawMany<{ slug: string }>();
    return new Set(rows.map((row) => row.slug));
  }

  /** Those of the identifiers that protected resources of any tenant have now. Only the primary key decides. */
  async takenResources(tx: EntityManager | null, identifiers: readonly string[]): Promise<Set<string>> {
    if (identifiers.length === 0) return new Set();
    const names = (tx ?? this.repository.manager).getRepository(ProtectedResourceName);
    const rows = await names.findBy({ identifier: In([...identifiers]) });
    return new Set(rows.map(({ identifier }) => identifier));
  }

  async insert(tx: EntityManager, tenant: Tenant): Promise<Tenant> {
    await tx.insert(Tenant, tenant);
    return tx.getRepository(Tenant).findOneByOrFail({ id: tenant.id });
  }

  async update(tx: EntityManager, id: string, change: Partial<Tenant>): Promise<Tenant> {
    await tx.update(Tenant, { id }, { ...change, updatedAt: () => 'now()' });
    return tx.getRepository(Tenant).findOneByOrFail({ id });
  }
}
