import { Injectable } from '@nestjs/common';
import { AppDirectory, type RegisteredClient } from '../apps/app-directory.js';
import type { AppUpdate } from '../apps/app.dto.js';
import { AppNotFound } from '../apps/apps.errors.js';
import { AppUpdateService } from '../apps/app-update.service.js';
import { AppsService } from '../apps/apps.service.js';
import type { RequestContext } from '../common/request-context.js';
import type { Tenant } from '../tenants/tenant.entity.js';
import type { TenantUpdate } from '../admin/tenant.dto.js';
import { TenantUpdateService } from '../admin/tenant-update.service.js';
import type { ClientChange } from './change-effects.js';
import { isJudgedAlike } from './judged-alike.rules.js';

/** Apps read at once. */
const PAGE = 200;

/** A change that is not saved: who would send it, and the apps as they are and as they would be. */
export interface DraftedChange {
  readonly tenantId: string;
  /** Null: a change of the tenant. */
  readonly appId: string | null;
  /** Only apps whose sign-in the change concerns. */
  readonly clients: readonly ClientChange[];
}

/** Changes as they would be saved: the same checks, the same errors, and nothing is written. */
@Injectable()
export class DraftedChanges {
  constructor(
    private readonly appUpdates: AppUpdateService,
    private readonly tenantUpdates: TenantUpdateService,
    private readonly apps: AppsService,
    private readonly directory: AppDirectory,
  ) {}

  /** @throws as `AppUpdateService.update` */
  async ofApp(ctx: RequestContext, id: string, input: AppUpdate): Promise<DraftedChange> {
    const { before: app, after } = await this.appUpdates.draft(ctx, id, input);
    const before = await this.clientOf(id);
    const clients = [{ before: { ...before, app }, after: { ...before, app: after } }];
    return { tenantId: app.tenantId, appId: id, clients: clients.filter((each) => !isJudgedAlike(each)) };
  }

  /** @throws as `TenantUpdateService.update` */
  async ofTenant(ctx: RequestContext, id: string, input: TenantUpdate): Promise<DraftedChange> {
    const { before: tenant, after } = await this.tenantUpdates.draft(ctx, id, input);
    const clients: ClientChange[] = [];
    for await (const appId of this.appsOf(id)) {
      const before = { ...(await this.clientOf(appId)), tenant };
      clients.push({ before, after: withTenant(before, after) });
    }
    return { tenantId: id, appId: null, clients: clients.filter((each) => !isJudgedAlike(each)) };
  }

  private async *appsOf(tenantId: string): AsyncGenerator<string> {
    yield (await this.apps.getConsole(tenantId)).id;
    for (let after = ''; ;) {
      const page = await this.apps.pageOfTenant(tenantId, after, PAGE);
      yield* page.map(({ id }) => id);
      if (page.length < PAGE) return;
      after = page.at(-1)!.bundleId;
    }
  }

  private async clientOf(appId: string): Promise<RegisteredClient> {
    const client = await this.directory.findOfAnyOrigin(appId);
    if (!client) throw new AppNotFound();
    return client;
  }
}

/** Its switch takes the apps along: see `AppsService.switchWithTenant`. */
function withTenant(client: RegisteredClient, tenant: Tenant): RegisteredClient {
  const { app } = client;
  if (tenant.isActive === client.tenant.isActive) return { ...client, tenant };
  const isActive = tenant.isActive ? app.isActive || app.offWithTenant : false;
  return { ...client, tenant, app: { ...app, isActive } };
}
