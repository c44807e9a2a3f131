import { Injectable } from '@nestjs/common';
import { AppsService } from '../../apps/directory/apps.service.js';
import { authorityOf, canAdministerApp, canAdministerTenant } from '../../common/actor.js';
import { InsufficientPermissions } from '../../common/http/http.refusals.js';
import type { RequestContext } from '../../common/request-context.js';

/**
 * Checks whether a caller may filter a list by a tenant or an app. The list itself is limited to the caller's authority
 * as well.
 */
@Injectable()
export class FilterAuthority {
  constructor(private readonly apps: AppsService) {}

  /** @throws InsufficientPermissions for a foreign tenant or app */
  async check(
    { actor }: RequestContext,
    { tenantId, appId }: { readonly tenantId?: string; readonly appId?: string },
  ): Promise<void> {
    if (tenantId && !canAdministerTenant(actor, tenantId.toLowerCase())) throw new InsufficientPermissions();
    if (appId && !authorityOf(actor).platform) {
      const app = await this.apps.find(appId);
      if (!app || !canAdministerApp(actor, app)) throw new InsufficientPermissions();
    }
  }
}
