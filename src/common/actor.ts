/**
 * The party behind a request. `authority` is read from the database per request, already cut by the token's audience.
 */
export type Actor = AnonymousActor | UserActor | ServiceActor | SystemActor;

export interface AnonymousActor {
  readonly type: 'anonymous';
}

export interface SystemActor {
  readonly type: 'system';
  readonly name: string;
}

export interface UserActor {
  readonly type: 'user';
  readonly userId: string;
  readonly email: string;
  /** App id in the token's `aud`. */
  readonly audience: string;
  /**
   * The app, no Console, whose server holds what they came with: an access token for it, or a setup token that it was given.
   * Null where it is their own: a session, or a token of a Console app. A limit counts both apart (docs/decisions/0086).
   */
  readonly viaApp: string | null;
  /** Of that app; absent for the platform’s Console app, where admins of all tenants are, and for callers without a token. */
  readonly tenantId?: string;
  readonly authority: Authority;
  /** Of the account when their token or console session was found good; absent for callers without one. */
  readonly credentialsVersion?: number;
  /** What they had shown at their sign-in (RFC 8176); absent likewise. */
  readonly amr?: readonly string[];
  /** The sign-in at the app that their access token came from, and when it was; absent for who came without one. */
  readonly signIn?: { readonly id: string; readonly atMs: number };
}

export interface ServiceActor {
  readonly type: 'service';
  /** The app that the token was issued to. */
  readonly appId: string;
  readonly tenantId: string;
  /** Scopes in the token that the app still has. */
  readonly scopes: ReadonlySet<string>;
  /** When the token was issued, in whole seconds; absent for callers without one. */
  readonly issuedAt?: Date;
}

/** What a user may act on. See docs/conventions.md, section 2. */
export interface Authority {
  readonly platform: boolean;
  /** Tenants whose Console app they are actively enrolled in. */
  readonly tenants: ReadonlySet<string>;
  /** Apps in which they hold the role `admin`. */
  readonly appsAdministered: ReadonlySet<string>;
  /** Apps in which they hold the role `manager`. */
  readonly appsManaged: ReadonlySet<string>;
}

export const NO_AUTHORITY: Authority = {
  platform: false,
  tenants: new Set(),
  appsAdministered: new Set(),
  appsManaged: new Set(),
};

export function authorityOf(actor: Actor): Authority {
  return actor.type === 'user' ? actor.authority : NO_AUTHORITY;
}

/** Platform admins, and the system in their place (start-up, command line). */
export function canAdministerPlatform(actor: Actor): boolean {
  return actor.type === 'system' || authorityOf(actor).platform;
}

/**
 * Whose share of a process a caller uses: that of the tenant whose app the token was made for, whichever of its admins or apps
 * asks; platform admins share one. In the console it is the first of their tenants, or else of their apps.
 */
export function holderOf(actor: Actor): string {
  if (actor.type === 'service') return actor.tenantId;
  if (canAdministerPlatform(actor)) return 'platform';
  if (actor.type === 'user' && actor.tenantId !== undefined) return actor.tenantId;
  const { tenants, appsAdministered } = authorityOf(actor);
  return [...tenants].sort()[0] ?? [...appsAdministered].sort()[0] ?? actor.type;
}

/** Whether a user administers the platform or a tenant, as opposed to single apps. */
export function administers({ platform, tenants }: Authority): boolean {
  return platform || tenants.size > 0;
}

/**
 * Platform admins administer every tenant, tenant admins their own; the system (start-up, command line) all of them.
 */
export function canAdministerTenant(actor: Actor, tenantId: string): boolean {
  if (actor.type === 'system') return true;
  const authority = authorityOf(actor);
  return authority.platform || authority.tenants.has(tenantId);
}

/** Admins of a tenant administer its apps; app admins administer their own app. */
export function canAdministerApp(actor: Actor, app: { readonly id: string; readonly tenantId: string }): boolean {
  return canAdministerTenant(actor, app.tenantId) || authorityOf(actor).appsAdministered.has(app.id);
}

/** Which rows a list may show. `everything` wins; otherwise rows of these tenants or apps. */
export interface Scope {
  readonly everything: boolean;
  readonly tenantIds: readonly string[];
  readonly appIds: readonly string[];
}

export const WHOLE_SCOPE: Scope = { everything: true, tenantIds: [], appIds: [] };
