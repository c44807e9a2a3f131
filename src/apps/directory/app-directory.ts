import { Inject, Injectable } from '@nestjs/common';
import { SETTINGS, type Settings } from '../../config/settings.js';
import { NotificationListener } from '../../database/notifications/notification-listener.js';
import { NotifiedCache } from '../../database/notifications/notified-cache.js';
import type { Tenant } from '../../tenants/tenant.entity.js';
import { TenantsService } from '../../tenants/tenants.service.js';
import type { App } from '../app/app.entity.js';
import { AppsRepository } from '../app/apps.repository.js';
import type { NativeApps } from '../app/native-apps.rules.js';
import { withoutLinksToService } from '../settings/app-config.rules.js';
import { isSelfRegistered } from '../app/app-origin.rules.js';
import { isTaken } from '../app/taken-client.rules.js';
import { leadsToService, matchesRedirectUri, redirectUrisOf } from '../app/redirect-uri.rules.js';

/** An app with its tenant, as sign-in and tokens need them on every request. */
export interface RegisteredClient {
  readonly app: App;
  readonly tenant: Tenant;
  /** The app and its tenant are both switched on. */
  readonly isOpen: boolean;
  /** Where a sign-in may lead: what was registered, or for a Console app the console's own callback. */
  readonly redirectUris: readonly string[];
  /** Where a sign-out may lead, besides those. */
  readonly postLogoutRedirectUris: readonly string[];
}

/**
 * Apps by id from memory, invalidated by notification in every process. Do not change what it returns.
 *
 * Clients that have registered themselves are not among them: every route that serves apps asks here, and one that serves
 * these too says so by {@link findOfAnyOrigin} (docs/decisions/0075).
 */
@Injectable()
export class AppDirectory {
  private readonly cache: NotifiedCache<RegisteredClient | null>;
  private readonly nativeApps: NotifiedCache<NativeApps[]>;

  constructor(
    listener: NotificationListener,
    private readonly apps: AppsRepository,
    private readonly tenants: TenantsService,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {
    const tables = new Set(['apps', 'tenants']);
    this.cache = new NotifiedCache(listener, tables, (id) => this.load(id));
    this.nativeApps = new NotifiedCache(listener, tables, () => this.apps.listNativeApps());
  }

  /** An app that an operator has made. */
  async find(appId: string): Promise<RegisteredClient | null> {
    const client = await this.cache.get(appId);
    return client && !isSelfRegistered(client.app) ? client : null;
  }

  /** The same where it and its tenant are switched on. */
  async findOpen(appId: string): Promise<RegisteredClient | null> {
    const client = await this.find(appId);
    return client?.isOpen ? client : null;
  }

  /**
   * Also a client that has registered itself. For the few routes that serve them: the sign-in pages, codes, refresh, devices,
   * revocation, the end of a session, and what a user is shown of their own.
   */
  findOfAnyOrigin(appId: string): Promise<RegisteredClient | null> {
    return this.cache.get(appId);
  }

  /** As {@link find}, where it is in memory; else undefined. */
  known(appId: string): RegisteredClient | undefined {
    const client = this.cache.known(appId);
    return client && !isSelfRegistered(client.app) ? client : undefined;
  }

  /** The same where it and its tenant are switched on. */
  async findOpenOfAnyOrigin(appId: string): Promise<RegisteredClient | null> {
    const client = await this.findOfAnyOrigin(appId);
    return client?.isOpen ? client : null;
  }

  /** As {@link findOpenOfAnyOrigin}, if a sign-in may lead to this address of the app. */
  async findLeadingTo(appId: string, redirectUri: string): Promise<RegisteredClient | null> {
    const client = await this.findOpenOfAnyOrigin(appId);
    return client && matchesRedirectUri(client.redirectUris, redirectUri, this.settings.baseUrl) ? client : null;
  }

  /** Of apps that are on, take passkeys and name native apps. */
  listNativeApps(): Promise<NativeApps[]> {
    return this.nativeApps.get('all');
  }

  /** For the process that has just committed a change: its own next request must see it. */
  forget(): void {
    this.cache.clear();
    this.nativeApps.clear();
  }

  private async load(id: string): Promise<RegisteredClient | null> {
    const stored = await this.apps.find(id);
    const tenant = stored && (await this.tenants.find(stored.tenantId));
    if (!stored || !tenant) return null;
    const { baseUrl } = this.settings;
    const ruled = isSelfRegistered(stored) ? await this.withRulesOfTenant(stored) : stored;
    const app = withoutLinksToService(ruled, baseUrl);
    const redirectUris = redirectUrisOf(app, baseUrl);
    const postLogoutRedirectUris = app.config.post_logout_redirect_uris.filter((uri) => !leadsToService(uri, baseUrl));
    return {
      app,
      tenant,
      isOpen: app.isActive && tenant.isActive && isTaken(app, tenant),
      redirectUris,
      postLogoutRedirectUris,
    };
  }

  /** As strict as the apps of its tenant are now; where there is none any more, as they were when the client was looked at. */
  private async withRulesOfTenant(app: App): Promise<App> {
    return { ...app, config: { ...app.config, ...(await this.apps.signInRulesOf(app.tenantId)) } };
  }
}
