import { Injectable } from '@nestjs/common';
import { administeredScope, canAdministerTenant } from '../../../common/actor.js';
import { TenantsService } from '../../../tenants/tenants.service.js';
import type { ConsoleRequest } from '../../frame/requests/console-request.js';

/** Maximum number of options. An operator with more tenants uses the link on the tenant's own page. */
const MAX_TENANTS = 100;

/** The tenants that the operator can choose from. */
@Injectable()
export class TenantOptions {
  constructor(private readonly tenants: TenantsService) {}

  /** For a choice that cannot be changed later: nothing is preselected unless there is only one option. */
  async choose(consoleRequest: ConsoleRequest, chosenId: string | null) {
    const options = await this.list(consoleRequest, chosenId);
    if (options.length === 1) return options.map((option) => ({ ...option, isChosen: true }));
    const isChosen = !options.some((option) => option.isChosen);
    return [{ value: '', label: 'Choose a tenant', isChosen }, ...options];
  }

  /** Newest first. Always includes the chosen tenant, if the operator governs it. */
  async list({ actor }: ConsoleRequest, chosenId: string | null) {
    const { tenants } = await this.tenants.listPage(administeredScope(actor), { page: 1, limit: MAX_TENANTS });
    const isMissing = chosenId && !tenants.some(({ id }) => id === chosenId) && canAdministerTenant(actor, chosenId);
    const chosen = isMissing ? await this.tenants.find(chosenId) : null;
    return [...(chosen ? [chosen] : []), ...tenants].map(({ id, name }) => ({
      value: id,
      label: name,
      isChosen: id === chosenId,
    }));
  }
}
