import { SetMetadata } from '@nestjs/common';

/** Scopes that a service token may carry (specification, Authentication 3). */
export const SERVICE_SCOPES = [
  'push:send',
  'users:read',
  'users:create',
  'invites:create',
  'apps:read',
  'apps:write',
] as const;
export type ServiceScope = (typeof SERVICE_SCOPES)[number];

/** Least standing in which a person passes the guard; the service then judges the object itself. */
export type Standing = 'platform_admin' | 'tenant_admin' | 'app_admin' | 'app_manager' | 'user';

/**
 * The passive mark of a route, read by the one access guard and by the route census.
 * A route without a mark is refused and fails the census.
 */
export type AccessMark =
  /** Nobody is asked who they are. */
  | { readonly kind: 'public' }
  /** A browser page or form: the handler looks at cookies itself, bearer tokens are not looked at. */
  | { readonly kind: 'browser' }
  /** A bearer access token of a person of this standing, or a service token with the scope. */
  | {
      readonly kind: 'bearer';
      readonly standing: Standing | null;
      readonly scope: ServiceScope | null;
      /** Exact detail of the 401: the push endpoints have one of their own (specification, Errors). */
      readonly noToken: 'Not authenticated' | 'Invalid token';
      /** The body carries an app's own data: names of protected fields mean nothing in it. */
      readonly freeBody: boolean;
    };

export const ACCESS_MARK = 'access-mark';

export const Public = () => SetMetadata(ACCESS_MARK, { kind: 'public' } satisfies AccessMark);

export const Browser = () => SetMetadata(ACCESS_MARK, { kind: 'browser' } satisfies AccessMark);

export const Requires = (who: {
  standing?: Standing;
  scope?: ServiceScope;
  noToken?: 'Invalid token';
  freeBody?: true;
}) =>
  SetMetadata(ACCESS_MARK, {
    kind: 'bearer',
    standing: who.standing ?? null,
    scope: who.scope ?? null,
    noToken: who.noToken ?? 'Not authenticated',
    freeBody: who.freeBody ?? false,
  } satisfies AccessMark);
