import { Injectable } from '@nestjs/common';
import { PasskeyTransfer } from '../../../auth/credentials/passkeys/management/passkey-transfer.service.js';
import { canAdministerPlatform } from '../../../common/actor.js';
import type { RequestContext } from '../../../common/request-context.js';
import type { Tenant } from '../../../tenants/tenant.entity.js';
import { TenantsService } from '../../../tenants/tenants.service.js';
import { outcomeAsPreviewed } from '../document/account.rules.js';
import { type BundleIdPolicy, BundleIds } from '../document/bundle-ids.js';
import type { ImportDocument } from '../document/import-document.js';
import { ImportSignIns } from './import-sign-ins.js';
import { ImportAccounts } from '../writing/import-accounts.js';
import { type ImportPlanView, importPlanView } from './plan.view.js';

/** Computes the result of an import with the same decisions, without writing anything. */
@Injectable()
export class ImportPlanner {
  constructor(
    private readonly tenants: TenantsService,
    private readonly bundleIds: BundleIds,
    private readonly users: ImportAccounts,
    private readonly passkeys: PasskeyTransfer,
    private readonly signIns: ImportSignIns,
  ) {}

  /**
   * @param into tenant of the app; null: a new one
   * @throws InsufficientPermissions, BundleIdAlreadyExists as the import itself
   */
  async plan(
    ctx: RequestContext,
    document: ImportDocument,
    policy: BundleIdPolicy,
    into: Tenant | null,
  ): Promise<ImportPlanView> {
    const slug = document.tenant?.slug;
    const isSlugFree = slug === undefined || !(await this.tenants.isSlugTaken(slug));
    const resources = document.tenant?.resources ?? [];
    const bundleIds = await this.bundleIds.choose(document.apps, policy);
    const outcomes = await this.users.preview(ctx, document.accounts);
    if (!canAdministerPlatform(ctx.actor))
      for (const [key, outcome] of outcomes) outcomes.set(key, outcomeAsPreviewed(outcome));
    return importPlanView(document, {
      isSlugFree,
      freeResources: await this.tenants.freeResources(null, resources),
      bundleIds,
      outcomes,
      signIns: await this.signIns.foresee(ctx, document, outcomes, into),
      isOfThisHost: (rpId) => this.passkeys.isOfThisHost(rpId),
    });
  }
}
