import { Injectable } from '@nestjs/common';
import { TenantsService } from '../../../tenants/tenants.service.js';

/** Names of the tenants of rows: an operator who may see a row may see its tenant's name. */
@Injectable()
export class TenantNames {
  constructor(private readonly tenants: TenantsService) {}

  async of(tenantIds: readonly string[]): Promise<Map<string, string>> {
    const tenants = await this.tenants.listByIds([...new Set(tenantIds)]);
    return new Map(tenants.map(({ id, name }) => [id, name]));
  }
}
