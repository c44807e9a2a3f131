import { Injectable } from '@nestjs/common';
import { TenantsService } from '../../tenants/tenants.service.js';

/** The names beside rows that belong to a tenant: whoever sees the row may know whose it is. */
@Injectable()
export class TenantNames {
  constructor(private readonly tenants: TenantsService) {}

  async of(tenantIds: readonly string[]): Promise<Map<string, string>> {
    const tenants = await this.tenants.list({ everything: false, tenantIds: [...new Set(tenantIds)], appIds: [] });
    return new Map(tenants.map(({ id, name }) => [id, name]));
  }
}
