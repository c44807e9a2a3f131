import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Any, Brackets, type EntityManager, IsNull, Not, Repository, type SelectQueryBuilder } from 'typeorm';
import type { Scope } from '../../common/actor.js';
import type { Sorting } from '../../common/lists/sorting.js';
import type { AppConfig } from './app-config.js';
import type { AppSortColumn } from './app-sort.js';
import { App, type ListedApp, PICTURE_COLUMNS } from './app.entity.js';
import type { NativeApps } from './native-apps.rules.js';

const SORTED_BY: Readonly<Record<AppSortColumn, string>> = { name: 'lower(app.name)', state: 'app.isActive' };

export interface AppFilter {
  readonly scope: Scope;
  readonly tenantId?: string;
  /** Part of the name or of the bundle id, case-insensitive; or the whole id. */
  readonly search?: string;
  readonly withoutConsole: boolean;
  /** `operator`: without self-registered clients. */
  readonly origin?: 'operator';
  /** True: archived apps only. By default archived apps are left out, unless `search` is the whole id of one. */
  readonly archived?: boolean;
  readonly sorting?: Sorting<AppSortColumn> | null;
  /** First page: 1. */
  readonly page: number;
  readonly limit: number;
}

/** Identifies the app of a self-registered client in a tenant. */
export type SelfRegisteredKey =
  | { readonly metadataUrl: NonNullable<App['metadataUrl']> }
  | { readonly registrationId: NonNullable<App['registrationId']> };

interface RulesRow {
  readonly isActive: boolean;
  readonly isArchived: boolean;
  readonly methods: readonly string[];
  readonly secondFactor: boolean;
  readonly verifiedEmail: boolean;
}

type SignInRules = Pick<AppConfig, 'allowed_providers' | 'require_2fa' | 'require_verified_email'>;

/** A function returns an SQL expression. */
type AppChange = { readonly [Field in keyof App]?: App[Field] | (() => string) };

@Injectable()
export class AppsRepository {
  private readonly listedColumns: string[];

  constructor(@InjectRepository(App) private readonly repository: Repository<App>) {
    const pictures: readonly string[] = PICTURE_COLUMNS;
    this.listedColumns = repository.metadata.columns
      .filter(({ isSelect, propertyName }) => isSelect && !pictures.includes(propertyName))
      .map(({ propertyName }) => `app.${propertyName}`);
  }

  find(id: string, tx?: EntityManager): Promise<App | null> {
    return (tx?.getRepository(App) ?? this.repository).findOneBy({ id });
  }

  findForUpdate(tx: EntityManager, id: string): Promise<App | null> {
    return tx.getRepository(App).findOne({ where: { id }, lock: { mode: 'pessimistic_write' } });
  }

  listTenantsOf(ids: readonly string[]): Promise<Pick<App, 'id' | 'tenantId'>[]> {
    return this.repository.find({
      where: { id: Any([...ids]) },
      select: { id: true, tenantId: true },
      order: { id: 'ASC' },
    });
  }

  findByBundleId(bundleId: string): Promise<App | null> {
    return this.repository.findOneBy({ bundleId });
  }

  /** Apps that are switched on, accept passkeys and have native apps. */
  async listNativeApps(): Promise<NativeApps[]> {
    const apps = await this.repository
      .createQueryBuilder('app')
      .select(['app.id', 'app.config'])
      .innerJoin('tenants', 'tenant', 'tenant.id = app.tenantId AND tenant.is_active')
      .where(`app.isActive AND app.config @> '{"allowed_providers": ["passkey"]}'`)
      .andWhere(`(app.config -> 'android_apps' <> '[]' OR app.config -> 'apple_app_ids' <> '[]')`)
      .orderBy('app.id')
      .getMany();
    return apps.map(({ config }) => config);
  }

  findSelfRegistered(tenantId: string, key: SelfRegisteredKey): Promise<App | null> {
    return this.repository.findOneBy({ tenantId, ...key });
  }

  /** As {@link findSelfRegistered}, locked against deletion until the transaction ends. */
  lockSelfRegistered(tx: EntityManager, tenantId: string, key: SelfRegisteredKey): Promise<App | null> {
    return tx.getRepository(App).findOne({ where: { tenantId, ...key }, lock: { mode: 'pessimistic_write' } });
  }

  /** Null also if several tenants have an app for the client. */
  async findOnlySelfRegistered(key: SelfRegisteredKey): Promise<App | null> {
    const [only, ...others] = await this.repository.find({ where: { ...key }, take: 2 });
    return others.length === 0 ? (only ?? null) : null;
  }

  /** All self-registered clients of a tenant. */
  selfRegisteredOf(tx: EntityManager, tenantId: string): Promise<Pick<App, 'id' | 'origin' | 'metadataUrl'>[]> {
    return tx
      .getRepository(App)
      .find({ where: { tenantId, origin: Not('operator') }, select: { id: true, origin: true, metadataUrl: true } });
  }

  /** Apps that operators have created, without the Console app and archived apps. */
  countOfOperators(tenantId: string, tx?: EntityManager): Promise<number> {
    const where = { tenantId, origin: 'operator' as const, isConsoleApp: false, archivedAt: IsNull() };
    return (tx?.getRepository(App) ?? this.repository).countBy(where);
  }

  /** Counts active clients only: one that an operator has switched off does not take the place of another. */
  countSelfRegistered(tx: EntityManager, tenantId: string): Promise<number> {
    const where = { tenantId, origin: Not('operator' as const), isActive: true, archivedAt: IsNull() };
    return tx.getRepository(App).countBy(where);
  }

  /**
   * Requirements that the operators' apps of a tenant set for a sign-in: the union of their methods, and the strictest
   * value of the other settings. Active apps count; if there is none, apps that are switched off, and then archived
   * ones. Switching off its apps does not weaken a tenant's rules.
   */
  async signInRulesOf(tenantId: string, tx?: EntityManager): Promise<Partial<SignInRules>> {
    const all = await (tx?.getRepository(App) ?? this.repository)
      .createQueryBuilder('app')
      .select('app.is_active', 'isActive')
      .addSelect('app.archived_at IS NOT NULL', 'isArchived')
      .addSelect("app.config -> 'allowed_providers'", 'methods')
      .addSelect("coalesce((app.config ->> 'require_2fa')::boolean, false)", 'secondFactor')
      .addSelect("coalesce((app.config ->> 'require_verified_email')::boolean, false)", 'verifiedEmail')
      .where("app.tenantId = :tenantId AND app.origin = 'operator' AND NOT app.isConsoleApp", { tenantId })
      .getRawMany<RulesRow>();
    const present = all.filter(({ isArchived }) => !isArchived);
    const apps = [present.filter(({ isActive }) => isActive), present, all].find((some) => some.length > 0);
    if (!apps) return {};
    return {
      allowed_providers: [...new Set(apps.flatMap(({ methods }) => methods))],
      require_2fa: apps.some(({ secondFactor }) => secondFactor),
      require_verified_email: apps.some(({ verifiedEmail }) => verifiedEmail),
    };
  }

  /** The Console app of the platform tenant, which the first migration creates. */
  getPlatformConsole(): Promise<App> {
    return this.repository
      .createQueryBuilder('app')
      .innerJoin('tenants', 'tenant', 'tenant.id = app.tenantId AND tenant.is_platform')
      .where('app.isConsoleApp')
      .getOneOrFail();
  }

  getConsole(tenantId: string, tx?: EntityManager): Promise<App> {
    return (tx?.getRepository(App) ?? this.repository).findOneByOrFail({ tenantId, isConsoleApp: true });
  }

  /** Newest first by default, with the total. */
  async list(filter: AppFilter): Promise<{ apps: ListedApp[]; total: number }> {
    const [apps, total] = await this.filtered(filter).select(this.listedColumns).getManyAndCount();
    return { apps, total };
  }

  /** As {@link list}, only the ids. */
  async listIds(filter: AppFilter): Promise<{ ids: string[]; total: number }> {
    const [apps, total] = await this.filtered(filter).select(['app.id']).getManyAndCount();
    return { ids: apps.map(({ id }) => id), total };
  }

  /** In the order of the ids; those that were deleted are left out. */
  async findAll(ids: readonly string[]): Promise<App[]> {
    const apps = new Map((await this.repository.findBy({ id: Any([...ids]) })).map((app) => [app.id, app]));
    return ids.flatMap((id) => apps.get(id) ?? []);
  }

  private filtered({
    scope,
    tenantId,
    search,
    withoutConsole,
    origin,
    archived = false,
    sorting,
    page,
    limit,
  }: AppFilter): SelectQueryBuilder<App> {
    const query = this.repository.createQueryBuilder('app');
    if (sorting) query.orderBy(SORTED_BY[sorting.by], sorting.isDescending ? 'DESC' : 'ASC');
    query.addOrderBy('app.createdAt', 'DESC').addOrderBy('app.id', 'DESC');
    if (!scope.everything) {
      query.where(
        new Brackets((cut) =>
          cut
            .where('app.tenantId = ANY(:tenantIds)', { tenantIds: scope.tenantIds })
            .orWhere('app.id = ANY(:appIds)', { appIds: scope.appIds }),
        ),
      );
    }
    if (tenantId) query.andWhere('app.tenantId = :tenantId', { tenantId });
    if (search) {
      query.andWhere(
        `(position(lower(:search) IN lower(app.name)) > 0 OR position(lower(:search) IN lower(app.bundleId)) > 0
          OR app.id::text = lower(:search))`,
        { search },
      );
    }
    query.andWhere(archived ? 'app.archivedAt IS NOT NULL' : '(app.archivedAt IS NULL OR app.id::text = lower(:id))', {
      id: search ?? '',
    });
    if (withoutConsole) query.andWhere('NOT app.isConsoleApp');
    if (origin) query.andWhere('app.origin = :origin', { origin });
    return query.take(limit).skip((page - 1) * limit);
  }

  /**
   * Apps of a tenant that operators have created, except for its Console and archived apps, by bundle id (bytewise).
   * @param after the last bundle id of the page before
   */
  pageOfTenant(tenantId: string, after: string, limit: number): Promise<App[]> {
    return this.afterBundleId(tenantId, after, limit).getMany();
  }

  /** As {@link pageOfTenant}, without settings. */
  idsOfTenant(tenantId: string, after: string, limit: number): Promise<Pick<App, 'id' | 'bundleId'>[]> {
    return this.afterBundleId(tenantId, after, limit).select(['app.id', 'app.bundleId']).getMany();
  }

  private afterBundleId(tenantId: string, after: string, limit: number): SelectQueryBuilder<App> {
    return this.repository
      .createQueryBuilder('app')
      .where(
        `app.tenantId = :tenantId AND NOT app.isConsoleApp AND app.archivedAt IS NULL AND app.origin = 'operator'`,
        { tenantId },
      )
      .andWhere('app.bundleId COLLATE "C" > :after', { after })
      .orderBy('app.bundleId COLLATE "C"')
      .limit(limit);
  }

  async takenBundleIds(bundleIds: readonly string[], tx?: EntityManager): Promise<Set<string>> {
    const rows = await (tx?.getRepository(App) ?? this.repository)
      .createQueryBuilder('app')
      .select('app.bundle_id', 'bundleId')
      .where('app.bundle_id = ANY(:bundleIds)', { bundleIds })
      .getRawMany<{ bundleId: string }>();
    return new Set(rows.map((row) => row.bundleId));
  }

  async insert(tx: EntityManager, app: App): Promise<App> {
    await tx.insert(App, app);
    return tx.getRepository(App).findOneByOrFail({ id: app.id });
  }

  async update(tx: EntityManager, id: string, change: AppChange): Promise<App> {
    await tx.update(App, { id }, { ...change, updatedAt: () => 'now()' });
    return tx.getRepository(App).findOneByOrFail({ id });
  }

  archive(tx: EntityManager, id: string): Promise<App> {
    return this.update(tx, id, { archivedAt: () => 'now()', isActive: false, offWithTenant: false });
  }

  /** Number of apps per tenant, without Console apps and archived apps. */
  async countByTenant(
    tenantIds: readonly string[],
  ): Promise<Map<string, { apps: number; consoleAppId: string | null }>> {
    const rows = await this.repository
      .createQueryBuilder('app')
      .select('app.tenantId', 'tenantId')
      .addSelect('count(*) FILTER (WHERE NOT app.is_console_app AND app.archived_at IS NULL)::int', 'apps')
      .addSelect('max(app.id::text) FILTER (WHERE app.is_console_app)', 'consoleAppId')
      .where('app.tenantId = ANY(:tenantIds)', { tenantIds })
      .groupBy('app.tenantId')
      .getRawMany<{ tenantId: string; apps: number; consoleAppId: string | null }>();
    return new Map(rows.map((row) => [row.tenantId, { apps: row.apps, consoleAppId: row.consoleAppId }]));
  }

  /** Switches off all active apps of the tenant, or switches on those that this has switched off. */
  async switchWithTenant(tx: EntityManager, tenantId: string, on: boolean): Promise<void> {
    if (on) {
      await tx.update(
        App,
        { tenantId, offWithTenant: true },
        { isActive: true, offWithTenant: false, updatedAt: () => 'now()' },
      );
    } else {
      await tx.update(
        App,
        { tenantId, isActive: true },
        { isActive: false, offWithTenant: true, updatedAt: () => 'now()' },
      );
    }
  }
}
