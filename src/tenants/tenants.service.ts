import { Inject, Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Scope } from '../common/actor.js';
import { Randomness } from '../common/randomness.js';
import { SERVICE_SCOPES } from '../common/http/access-marks.js';
import { withoutEnd } from '../common/without-end.js';
import { InvalidInput } from '../common/validation/invalid-input.js';
import { SETTINGS, type Settings } from '../config/settings.js';
import { translateViolation } from '../database/violated-constraint.js';
import {
  comparedIdentifier,
  IDENTIFIER_LENGTH,
  judgeResources,
  type ProtectedResource,
} from './protected-resource.rules.js';
import { slugFromName } from './slug.rules.js';
import type { AcceptedClients } from './accepted-clients.js';
import type { Tenant } from './tenant.entity.js';
import { ResourceAlreadyExists, SlugAlreadyExists, TenantNotFound } from './tenants.errors.js';
import { type TenantPage, TenantsRepository } from './tenants.repository.js';

/** Settings that are left out have the defaults of their columns; the slug is made from the name. */
export interface NewTenant extends Partial<Omit<Tenant, 'id' | 'isPlatform' | 'createdAt' | 'updatedAt'>> {
  readonly name: string;
  /** Instead of `slug`: used if it is free, otherwise with a number. */
  readonly preferredSlug?: string;
  /** Instead of `resources`: only those that no other tenant has are created. */
  readonly preferredResources?: ProtectedResource[];
}

/** Tenant records. Use cases with a tenant's apps and users are in `admin`. */
@Injectable()
export class TenantsService {
  constructor(
    private readonly tenants: TenantsRepository,
    private readonly randomness: Randomness,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  find(id: string, tx?: EntityManager): Promise<Tenant | null> {
    return this.tenants.find(id, tx);
  }

  findBySlug(slug: string): Promise<Tenant | null> {
    return this.tenants.findBySlug(slug);
  }

  /** @throws TenantNotFound */
  async get(id: string, tx?: EntityManager): Promise<Tenant> {
    const tenant = await this.tenants.find(id, tx);
    if (!tenant) throw new TenantNotFound();
    return tenant;
  }

  /** @throws TenantNotFound */
  async getForUpdate(tx: EntityManager, id: string): Promise<Tenant> {
    const tenant = await this.tenants.findForUpdate(tx, id);
    if (!tenant) throw new TenantNotFound();
    return tenant;
  }

  /** The tenant of a protected resource, by its exact identifier; null: none. */
  async findByResource(identifier: string): Promise<Tenant | null> {
    if (identifier.length > IDENTIFIER_LENGTH) return null;
    const tenant = await this.tenants.findByResource(comparedIdentifier(identifier));
    return tenant?.resources.some((resource) => resource.identifier === identifier) ? tenant : null;
  }

  /** The ways to register that any tenant accepts. */
  acceptedClients(): Promise<AcceptedClients> {
    return this.tenants.acceptedClients();
  }

  /** The state now: only {@link create} decides. */
  isSlugTaken(slug: string): Promise<boolean> {
    return this.tenants.isSlugTaken(slug);
  }

  /** Newest first. */
  listByIds(ids: readonly string[]): Promise<Tenant[]> {
    return this.tenants.listByIds(ids);
  }

  listPage(scope: Scope, page: TenantPage): ReturnType<TenantsRepository['listPage']> {
    return this.tenants.listPage(scope, page);
  }

  /** @throws SlugAlreadyExists for a given slug; one made from the name gets a number instead */
  async create(tx: EntityManager, { preferredSlug, preferredResources = [], ...settings }: NewTenant): Promise<Tenant> {
    this.checkResources(settings.resources ?? preferredResources);
    const row = {
      ...settings,
      id: this.randomness.uuid(),
      slug: settings.slug ?? (await this.freeSlug(tx, preferredSlug ?? slugFromName(settings.name))),
      resources: settings.resources ?? (await this.freeResources(tx, preferredResources)),
    } as Tenant;
    return this.tenants.insert(tx, row).catch((error: unknown) => translateViolation(error, TAKEN));
  }

  /** @throws SlugAlreadyExists, ResourceAlreadyExists, InvalidInput */
  async update(tx: EntityManager, id: string, change: Partial<Tenant>): Promise<Tenant> {
    this.checkResources(change.resources);
    return this.tenants.update(tx, id, change).catch((error: unknown) => translateViolation(error, TAKEN));
  }

  /** Checks that span fields. @throws InvalidInput */
  private checkResources(resources: readonly ProtectedResource[] = []): void {
    const faults = judgeResources(resources, this.settings.baseUrl, RESERVED_SCOPES);
    if (faults.length > 0) throw new InvalidInput(faults);
  }

  /** Those of the protected resources that no tenant has now; `create` checks again. */
  async freeResources(tx: EntityManager | null, wanted: readonly ProtectedResource[]): Promise<ProtectedResource[]> {
    const taken = await this.tenants.takenResources(
      tx,
      wanted.map(({ identifier }) => comparedIdentifier(identifier)),
    );
    return wanted.filter(({ identifier }) => !taken.has(comparedIdentifier(identifier)));
  }

  private async freeSlug(tx: EntityManager, wanted: string): Promise<string> {
    const taken = await this.tenants.slugsLike(tx, wanted);
    if (!taken.has(wanted)) return wanted;
    const stem = withoutEnd(wanted.slice(0, MAX_STEM_LENGTH), '-');
    const numbered = stem === wanted ? taken : await this.tenants.slugsLike(tx, stem);
    for (let number = 2; ; number++) {
      if (!numbered.has(`${stem}-${number}`)) return `${stem}-${number}`;
    }
  }
}

/** Scopes of sign-ins (OpenID Connect Core 5.4 and 11) and of the service itself. */
const RESERVED_SCOPES = [
  'openid',
  'profile',
  'email',
  'address',
  'phone',
  'roles',
  'offline_access',
  ...SERVICE_SCOPES,
];
/** Leaves room for a number within the 63 characters of a slug. */
const MAX_STEM_LENGTH = 58;
const TAKEN = {
  uq_tenants_slug: () => new SlugAlreadyExists(),
  pk_protected_resource_names: () => new ResourceAlreadyExists(),
};
