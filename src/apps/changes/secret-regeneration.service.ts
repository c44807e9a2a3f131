import { Injectable } from '@nestjs/common';
import { canAdministerTenant } from '../../common/actor.js';
import { InsufficientPermissions } from '../../common/http/http.refusals.js';
import { Randomness } from '../../common/randomness.js';
import type { RequestContext } from '../../common/request-context.js';
import { newOpaqueToken } from '../../crypto/opaque-token.js';
import { widensToTenant } from '../settings/app-access.rules.js';
import { AppChanges } from './app-changes.js';
import { AppsRepository } from '../app/apps.repository.js';
import { AppsService } from '../directory/apps.service.js';

/** Gives an app a new client secret. */
@Injectable()
export class SecretRegenerationService {
  constructor(
    private readonly apps: AppsService,
    private readonly repository: AppsRepository,
    private readonly changes: AppChanges,
    private readonly randomness: Randomness,
  ) {}

  /**
   * @returns the new secret; the old one is invalid at once
   * @throws AppNotFound, InsufficientPermissions
   */
  async regenerate(ctx: RequestContext, id: string): Promise<string> {
    const secret = newOpaqueToken(this.randomness);
    await this.changes.run({ ctx, appId: id }, async (tx) => {
      // Locks the app, so that it cannot get tenant-wide scopes between the check of the admin's authority and the new
      // secret.
      await this.repository.findForUpdate(tx, id);
      const app = await this.apps.getAdministered(ctx, id, tx);
      const belowTenant = !canAdministerTenant(ctx.actor, app.tenantId);
      if (belowTenant && (widensToTenant(app.serviceScopes) || app.isConsoleApp)) throw new InsufficientPermissions();
      await this.repository.update(tx, id, { clientSecretHash: secret.hash, secretKnownToAppAdmin: belowTenant });
      await this.changes.record(tx, ctx, 'app.secret_regenerated', app);
    });
    return secret.token;
  }
}
