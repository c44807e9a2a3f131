import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Tenant } from '../../tenants/tenant.entity.js';
import { type NewTenant, TenantsService } from '../../tenants/tenants.service.js';
import type { App } from '../app/app.entity.js';
import { NewApps } from './new-apps.js';

/**
 * Inserts a new tenant with its Console app, in the caller's transaction. The caller checks authority and writes the
 * audit entry.
 */
@Injectable()
export class NewTenants {
  constructor(
    private readonly tenants: TenantsService,
    private readonly newApps: NewApps,
  ) {}

  /** @throws SlugAlreadyExists */
  async create(tx: EntityManager, fields: NewTenant): Promise<{ tenant: Tenant; console: App }> {
    const tenant = await this.tenants.create(tx, fields);
    return { tenant, console: await this.newApps.createConsole(tx, tenant) };
  }
}
