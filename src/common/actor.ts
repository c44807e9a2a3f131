/** The caller of a request. `authority` is read from the database for each request, limited by the token's audience. */
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
   * The app whose server has the caller's token: an access token for this app, or a setup token that it received. Null
   * for the user's own requests: a session, or a token for a Console app. Limits count both separately
   * (docs/decisions/0086).
   */
  readonly viaApp: string | null;
  /**
   * Tenant of the app of the token; absent for the platform's Console app, which admins of all tenants use, and without
   * a token.
   */
  readonly tenantId?: string;
  readonly authority: Authority;
  /** Version of the account's credentials when the token or console session was validated; absent without one. */
  readonly credentialsVersion?: number;
  /** Authentication methods of the sign-in (RFC 8176); absent without a token or console session. */
  readonly amr?: readonly string[];
  /** The sign-in that the access token came from, and its time; absent without a token. */
  readonly signIn?: { readonly id: string; readonly atMs: number };
  /** Console session of the request; absent elsewhere, and in tasks, which can outlast it. */
  readonly consoleSession?: string;
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

/** What a user may administer. See docs/conventions.md, section 2. */
export interface Authority {
  readonly platform: boolean;
  /** Tenants in whose Console app the user has an active enrollment. */
  readonly tenants: ReadonlySet<string>;
  /** Apps in which the user has the role `admin`. */
  readonly appsAdministered: ReadonlySet<string>;
  /** Apps in which the user has the role `manager`. */
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

/** Platform admins, and the system (start-up, command line). */
export function canAdministerPlatform(actor: Actor): boolean {
  return actor.type === 'system' || authorityOf(actor).platform;
}

/**
 * Keys of the limits of a process that the caller's work counts against: the tenant whose app the token is for, for all
 * of its admins and apps; one shared key for platform admins. In the platform's console: one of the user's tenants, or
 * else the first of their apps.
 */
export function holdersOf(actor: Actor): readonly string[] {
  if (actor.type === 'service') return [actor.tenantId];
  if (canAdministerPlatform(actor)) return ['platform'];
  if (actor.type === 'user' && actor.tenantId !== undefined) return [actor.tenantId];
  const { tenants, appsAdministered } = authorityOf(actor);
  return tenants.size > 0 ? [...tenants].sort() : [[...appsAdministered].sort()[0] ?? actor.type];
}

/** Whether a user administers the platform or a tenant, not only single apps. */
export function administers({ platform, tenants }: Authority): boolean {
  return platform || tenants.size > 0;
}

/** Platform admins and the system (start-up, command line) administer every tenant, tenant admins their own. */
export function canAdministerTenant(actor: Actor, tenantId: string): boolean {
  if (actor.type === 'system') return true;
  const authority = authorityOf(actor);
  return authority.platform || authority.tenants.has(tenantId);
}

/** Admins of a tenant administer its apps; app admins administer their own app. */
export function canAdministerApp(actor: Actor, app: { readonly id: string; readonly tenantId: string }): boolean {
  return canAdministerTenant(actor, app.tenantId) || authorityOf(actor).appsAdministered.has(app.id);
}

/** The rows that a list may show: all if `everything` is true, otherwise those of these tenants or apps. */
export interface Scope {
  readonly everything: boolean;
  readonly tenantIds: readonly string[];
  readonly appIds: readonly string[];
}

export const WHOLE_SCOPE: Scope = { everything: true, tenantIds: [], appIds: [] };

/** What a caller administers: `canAdministerApp` as a scope for lists. */
export function administeredScope(actor: Actor): Scope {
  const { tenants, appsAdministered } = authorityOf(actor);
  return { everything: canAdministerPlatform(actor), tenantIds: [...tenants], appIds: [...appsAdministered] };
}
