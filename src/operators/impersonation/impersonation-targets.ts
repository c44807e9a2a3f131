import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { AppNotFound } from '../../apps/app/apps.errors.js';
import { AppDirectory } from '../../apps/directory/app-directory.js';
import { canAdministerTenant, type UserActor } from '../../common/actor.js';
import { InsufficientPermissions } from '../../common/http/http.refusals.js';
import { TenantNotFound } from '../../tenants/tenants.errors.js';
import { TenantsService } from '../../tenants/tenants.service.js';
import type { Impersonation } from '../session/console-sessions.repository.js';

/** A tenant or app that an operator can impersonate. */
export interface Target {
  readonly type: Impersonation['type'];
  readonly id: string;
  readonly name: string;
  readonly tenantId: string;
  readonly tenantIsActive: boolean;
}

/** Finds the tenants and apps that operators impersonate. A Console app is never a target. */
@Injectable()
export class ImpersonationTargets {
  constructor(
    private readonly tenants: TenantsService,
    private readonly directory: AppDirectory,
  ) {}

  /** @throws InsufficientPermissions, TenantNotFound, AppNotFound */
  async get(own: UserActor, type: Target['type'], id: string): Promise<Target> {
    if (type === 'tenant' && !own.authority.platform) throw new InsufficientPermissions();
    const target = await this.find(type, id);
    if (!target && own.authority.platform) throw type === 'tenant' ? new TenantNotFound() : new AppNotFound();
    if (!target || !canAdministerTenant(own, target.tenantId)) throw new InsufficientPermissions();
    return target;
  }

  async find(type: Target['type'], id: string, tx?: EntityManager): Promise<Target | null> {
    if (type === 'tenant') {
      const tenant = await this.tenants.find(id, tx);
      return tenant && { type, id, name: tenant.name, tenantId: id, tenantIsActive: tenant.isActive };
    }
    const client = await this.directory.find(id);
    if (!client || client.app.isConsoleApp) return null;
    const { app, tenant } = client;
    return { type, id, name: app.name, tenantId: tenant.id, tenantIsActive: tenant.isActive };
  }
}
