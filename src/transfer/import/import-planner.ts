import { Injectable } from '@nestjs/common';
import { PasskeyTransfer } from '../../auth/credentials/passkeys/passkey-transfer.service.js';
import { canAdministerPlatform } from '../../common/actor.js';
import type { RequestContext } from '../../common/request-context.js';
import { TenantsService } from '../../tenants/tenants.service.js';
import { outcomeAsPreviewed } from './account.rules.js';
import { type BundleIdPolicy, BundleIds } from './bundle-ids.js';
import type { ImportDocument } from './import-document.js';
import { ImportPeople } from './import-people.js';
import { type ImportPlanView, importPlanView } from './plan.view.js';

/** Says what an import would do, by the same decisions, without writing anything. */
@Injectable()
export class ImportPlanner {
  constructor(
    private readonly tenants: TenantsService,
    private readonly bundleIds: BundleIds,
    private readonly people: ImportPeople,
    private readonly passkeys: PasskeyTransfer,
  ) {}

  /** @throws InsufficientPermissions, BundleIdAlreadyExists as the import itself */
  async plan(ctx: RequestContext, document: ImportDocument, policy: BundleIdPolicy): Promise<ImportPlanView> {
    const slug = document.tenant?.slug;
    const isSlugFree = slug === undefined || !(await this.tenants.isSlugTaken(slug));
    const bundleIds = await this.bundleIds.choose(document.apps, policy);
    const outcomes = await this.people.preview(ctx, document.accounts);
    if (!canAdministerPlatform(ctx.actor))
      for (const [key, outcome] of outcomes) outcomes.set(key, outcomeAsPreviewed(outcome));
    return importPlanView(document, {
      isSlugFree,
      bundleIds,
      outcomes,
      isOfThisHost: (rpId) => this.passkeys.isOfThisHost(rpId),
    });
  }
}
