import { Injectable } from '@nestjs/common';
import { AppDirectory, type RegisteredClient, withoutPictures } from '../../apps/directory/app-directory.js';
import type { AppUpdate } from '../../apps/settings/app.dto.js';
import { AppNotFound } from '../../apps/app/apps.errors.js';
import type { App } from '../../apps/app/app.entity.js';
import { AppUpdateService } from '../../apps/changes/app-update.service.js';
import { AppsService } from '../../apps/directory/apps.service.js';
import type { RequestContext } from '../../common/request-context.js';
import type { Tenant } from '../../tenants/tenant.entity.js';
import type { TenantUpdate } from '../../admin/tenants/tenant.dto.js';
import { TenantUpdateService } from '../../admin/tenants/tenant-update.service.js';
import type { PreviewScope, PreviewSubject } from './preview-subject.js';
import type { ClientChange, Proposal } from './proposal.js';
import { ProviderRemoval } from './provider-removal.js';
import { endsDirectSignIn, isJudgedAlike } from './judged-alike.rules.js';

/** Number of apps read at once. */
const PAGE = 200;

/** A change that is not saved: its caller, and the apps before and after it. */
export interface DraftedChange extends Proposal {
  /** Null: a change of a tenant, or of several. */
  readonly appId: string | null;
  /** Whether sign-in by JSON ends at one of the apps. */
  readonly endsDirectSignIn: boolean;
}

/** Changes with the same checks and errors as when they are saved, but without writing anything. */
@Injectable()
export class DraftedChanges {
  constructor(
    private readonly appUpdates: AppUpdateService,
    private readonly tenantUpdates: TenantUpdateService,
    private readonly apps: AppsService,
    private readonly directory: AppDirectory,
    private readonly providers: ProviderRemoval,
  ) {}

  /** Called before any check. Null: unknown, or several. */
  async scopeOf(subject: PreviewSubject): Promise<PreviewScope> {
    if (subject.of === 'tenant') return { tenantId: subject.id, appId: null };
    if (subject.of !== 'app') return { tenantId: null, appId: null };
    const client = await this.directory.findOfAnyOrigin(subject.id);
    return { tenantId: client?.tenant.id ?? null, appId: subject.id };
  }

  /** @throws as the update */
  of(ctx: RequestContext, subject: PreviewSubject): Promise<DraftedChange> {
    if (subject.of === 'app') return this.ofApp(ctx, subject.id, subject.input);
    if (subject.of === 'tenant') return this.ofTenant(ctx, subject.id, subject.input);
    return this.ofProvider(ctx, subject.name);
  }

  /** @throws as `AppUpdateService.update` */
  private async ofApp(ctx: RequestContext, id: string, input: AppUpdate): Promise<DraftedChange> {
    const { before, after } = await this.appUpdates.draft(ctx, id, input);
    return this.between(before, after);
  }

  /** As {@link of}, for an app with known settings before and after the change. */
  async between(app: App, after: App): Promise<DraftedChange> {
    const before = await this.clientOf(app.id);
    const clients = [{ before: { ...before, app }, after: { ...before, app: after } }];
    return this.withPlatformConsole(before, draftOf(app.tenantId, app.id, clients));
  }

  /** @throws as `TenantUpdateService.update` */
  private async ofTenant(ctx: RequestContext, id: string, input: TenantUpdate): Promise<DraftedChange> {
    const { before, after } = await this.tenantUpdates.draft(ctx, id, input);
    return this.betweenTenants(before, after);
  }

  /** As {@link between}, for a tenant. */
  async betweenTenants(before: Tenant, after: Tenant): Promise<DraftedChange> {
    const clients: ClientChange[] = [];
    for await (const appId of this.appsOf(before.id)) {
      const client = await this.clientOf(appId);
      clients.push({ before: withTenant(client, before), after: withTenant(client, after) });
    }
    return this.withPlatformConsole(clients[0]!.before, draftOf(before.id, null, clients));
  }

  /**
   * The removal of an identity provider from the installation's settings. @throws as {@link ProviderRemoval.propose}
   */
  private async ofProvider(ctx: RequestContext, name: string): Promise<DraftedChange> {
    return { ...(await this.providers.propose(ctx, name)), appId: null, endsDirectSignIn: false };
  }

  /**
   * Admins of the tenant enter the console through the platform's Console app, so the tenant's requirements apply
   * there, too.
   */
  private async withPlatformConsole({ app, tenant }: RegisteredClient, draft: DraftedChange): Promise<DraftedChange> {
    if (!app.isConsoleApp || tenant.isPlatform || draft.clients.length === 0) return draft;
    const console = await this.clientOf((await this.apps.getPlatformConsole()).id);
    const change = { before: console, after: console, whom: { authorityIn: tenant.id } };
    return { ...draft, clients: [...draft.clients, change] };
  }

  private async *appsOf(tenantId: string): AsyncGenerator<string> {
    yield (await this.apps.getConsole(tenantId)).id;
    for (let after = ''; ;) {
      const page = await this.apps.idsOfTenant(tenantId, after, PAGE);
      yield* page.map(({ id }) => id);
      if (page.length < PAGE) return;
      after = page.at(-1)!.bundleId;
    }
  }

  /** Without pictures, because all apps of a tenant may be in memory. */
  private async clientOf(appId: string): Promise<RegisteredClient> {
    const client = await this.directory.findOfAnyOrigin(appId);
    if (!client) throw new AppNotFound();
    return withoutPictures(client);
  }
}

/** Contains only apps whose sign-in the change affects. */
function draftOf(tenantId: string, appId: string | null, clients: readonly ClientChange[]): DraftedChange {
  return {
    tenantId,
    appId,
    clients: clients.filter((each) => !isJudgedAlike(each)),
    endsDirectSignIn: clients.some(endsDirectSignIn),
  };
}

/** Switching the tenant also switches its apps: see `AppsService.switchWithTenant`. */
function withTenant(client: RegisteredClient, tenant: Tenant): RegisteredClient {
  const { app } = client;
  const isActive = tenant.isActive && (app.isActive || app.offWithTenant);
  return { ...client, tenant, app: { ...app, isActive } };
}
