import { Injectable } from '@nestjs/common';
import { governsPlatform } from '../../common/actor.js';
import type { RequestContext } from '../../common/request-context.js';
import { TenantsService } from '../../tenants/tenants.service.js';
import { fateAsForeseen } from './account.rules.js';
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
  ) {}

  /** @throws InsufficientPermissions, BundleIdAlreadyExists as the import itself */
  async plan(ctx: RequestContext, document: ImportDocument, policy: BundleIdPolicy): Promise<ImportPlanView> {
    const slug = document.tenant?.slug;
    const isSlugFree = slug === undefined || !(await this.tenants.isSlugTaken(slug));
    const bundleIds = await this.bundleIds.choose(document.apps, policy);
    const fates = await this.people.foresee(ctx, document.accounts);
    if (!governsPlatform(ctx.actor)) for (const [key, fate] of fates) fates.set(key, fateAsForeseen(fate));
    return importPlanView(document, { isSlugFree, bundleIds, fates });
  }
}
