import { Inject, Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { isUuid } from '../../common/validation/fields.js';
import { SETTINGS, type Settings } from '../../config/settings.js';
import { NotificationListener } from '../../database/notifications/notification-listener.js';
import { type ChangedRow, NotifiedCache, ROWS_CHANNEL } from '../../database/notifications/notified-cache.js';
import type { Tenant } from '../../tenants/tenant.entity.js';
import { TenantsService } from '../../tenants/tenants.service.js';
import { type App, NO_PICTURES } from '../app/app.entity.js';
import { AppsRepository } from '../app/apps.repository.js';
import type { NativeApps } from '../app/native-apps.rules.js';
import { asksConsent, withoutLinksToService } from '../settings/app-config.rules.js';
import { isSelfRegistered } from '../app/app-origin.rules.js';
import { isAcceptedBy } from '../app/accepted-client.rules.js';
import { leadsToService, matchesRedirectUri, redirectUrisOf } from '../app/redirect-uri.rules.js';

/** An app with its tenant, as sign-in and tokens need them on every request. */
export interface RegisteredClient {
  readonly app: App;
  readonly tenant: Tenant;
  /** The app and its tenant are both switched on. */
  readonly isOpen: boolean;
  /** Redirect URIs: the registered ones, or the console's own callback for a Console app. */
  readonly redirectUris: readonly string[];
  /** Redirect URIs after a sign-out, in addition to `redirectUris`. */
  readonly postLogoutRedirectUris: readonly string[];
}

/** For work on many apps at once. */
export function withoutPictures(client: RegisteredClient): RegisteredClient {
  return { ...client, app: { ...client.app, ...NO_PICTURES } };
}

/** Of the apps that a process keeps, with their pictures: some thousands of usual ones. */
const MAX_CACHED_BYTES = 32 * 1024 * 1024;

/**
 * Apps by id, cached in memory and invalidated by notification in every process. Do not modify the result.
 *
 * Self-registered clients are left out by default. A route that serves them too must say so with {@link
 * findOfAnyOrigin} (docs/decisions/0075).
 */
@Injectable()
export class AppDirectory {
  private readonly cache: NotifiedCache<RegisteredClient | null>;
  private readonly nativeApps: NotifiedCache<NativeApps[]>;

  constructor(
    private readonly listener: NotificationListener,
    private readonly apps: AppsRepository,
    private readonly tenants: TenantsService,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {
    const source = { channel: ROWS_CHANNEL, tables: ['apps', 'tenants'] };
    const memory = { maxBytes: MAX_CACHED_BYTES, bytesOf, ownerOf };
    const options = { isOutdatedBy, memory };
    this.cache = new NotifiedCache(listener, source, (id) => this.load(id), options);
    this.nativeApps = new NotifiedCache(listener, source, () => this.apps.listNativeApps(), {
      isOutdatedBy: () => true,
    });
  }

  /**
   * An app that an operator has created.
   * @param tx the caller's transaction: what is not cached is read on its connection, because transactions that each
   *   wait for a second connection would use up the pool
   */
  async find(appId: string, tx?: EntityManager): Promise<RegisteredClient | null> {
    const client = await this.findOfAnyOrigin(appId, tx);
    return client && !isSelfRegistered(client.app) ? client : null;
  }

  /** As {@link find}, if the app and its tenant are switched on. */
  async findOpen(appId: string, tx?: EntityManager): Promise<RegisteredClient | null> {
    const client = await this.find(appId, tx);
    return client?.isOpen ? client : null;
  }

  /**
   * As {@link findOpen}, for a sign-in by JSON: not an app that asks users for consent, because JSON has no consent page.
   * Such an app must not even learn whether a password is right.
   */
  async findForApiSignIn(appId: string): Promise<RegisteredClient | null> {
    const client = await this.findOpen(appId);
    return client && !asksConsent(client.app) ? client : null;
  }

  /**
   * Includes self-registered clients. Only for the routes that serve them: sign-in pages, codes, refresh, devices,
   * revocation, the end of a session, and the user's own account page.
   */
  async findOfAnyOrigin(appId: string, tx?: EntityManager): Promise<RegisteredClient | null> {
    if (!tx) return this.cache.get(appId);
    const known = this.cache.known(appId);
    // Not cached afterwards: the transaction may have changed the app, and may still be undone.
    return known === undefined ? this.load(appId, tx) : known;
  }

  /** As {@link findOfAnyOrigin}, for a client id as it was sent: in upper or lower case, or not an id at all. */
  async findByClientId(clientId: unknown): Promise<RegisteredClient | null> {
    return isUuid(clientId) ? this.findOfAnyOrigin(clientId.toLowerCase()) : null;
  }

  async findPlatformConsole(): Promise<RegisteredClient | null> {
    return this.findOfAnyOrigin((await this.apps.getPlatformConsole()).id);
  }

  /** As {@link find}, if the app is cached; otherwise undefined. */
  known(appId: string): RegisteredClient | undefined {
    const client = this.cache.known(appId);
    return client && !isSelfRegistered(client.app) ? client : undefined;
  }

  /** As {@link findOfAnyOrigin}, if the app and its tenant are switched on. */
  async findOpenOfAnyOrigin(appId: string): Promise<RegisteredClient | null> {
    const client = await this.findOfAnyOrigin(appId);
    return client?.isOpen ? client : null;
  }

  /** As {@link findOpenOfAnyOrigin}, if this is a redirect URI of the app. */
  async findLeadingTo(appId: string, redirectUri: string): Promise<RegisteredClient | null> {
    const client = await this.findOpenOfAnyOrigin(appId);
    return client && matchesRedirectUri(client.redirectUris, redirectUri, this.settings.baseUrl) ? client : null;
  }

  /** Apps that are switched on, accept passkeys and have native apps. */
  listNativeApps(): Promise<NativeApps[]> {
    return this.nativeApps.get('all');
  }

  /** Called by the process that has committed a change: when it resolves, its next request sees the change. */
  async catchUp(): Promise<void> {
    try {
      await this.listener.catchUp();
    } catch {
      this.cache.clear();
      this.nativeApps.clear();
    }
  }

  private async load(id: string, tx?: EntityManager): Promise<RegisteredClient | null> {
    const stored = await this.apps.find(id, tx);
    const tenant = stored && (await this.tenants.find(stored.tenantId, tx));
    if (!stored || !tenant) return null;
    const { baseUrl } = this.settings;
    const ruled = isSelfRegistered(stored) ? await this.withRulesOfTenant(stored, tx) : stored;
    const app = withoutLinksToService(ruled, baseUrl);
    const redirectUris = redirectUrisOf(app, baseUrl);
    const postLogoutRedirectUris = app.config.post_logout_redirect_uris.filter((uri) => !leadsToService(uri, baseUrl));
    return {
      app,
      tenant,
      isOpen: app.isActive && tenant.isActive && isAcceptedBy(app, tenant),
      redirectUris,
      postLogoutRedirectUris,
    };
  }

  /**
   * Applies the current sign-in rules of the tenant's apps; if there is none any more, those that were stored with the
   * client.
   */
  private async withRulesOfTenant(app: App, tx?: EntityManager): Promise<App> {
    return { ...app, config: { ...app.config, ...(await this.apps.signInRulesOf(app.tenantId, tx)) } };
  }
}

/** Another row than that of the app: its tenant, or an app of the tenant whose sign-in rules a client follows. */
function isOutdatedBy(client: RegisteredClient | null, { table, id, tenantId }: ChangedRow): boolean {
  if (client === null) return false;
  if (table === 'tenants') return client.tenant.id === id;
  return isSelfRegistered(client.app) && client.tenant.id === tenantId;
}

function ownerOf(client: RegisteredClient | null): string {
  return client?.tenant.id ?? '';
}

function bytesOf(client: RegisteredClient | null): number {
  if (client === null) return 0;
  const { config, logoData, darkLogoData, faviconData, logoCopy } = client.app;
  const pictures = [logoData, darkLogoData, faviconData, logoCopy];
  return JSON.stringify(config).length + pictures.reduce((sum, picture) => sum + (picture?.length ?? 0), 0);
}
