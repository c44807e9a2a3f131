import { SetMetadata } from '@nestjs/common';

/** Scopes of service tokens (docs/conventions.md, section 2). */
export const SERVICE_SCOPES = [
  'push:send',
  'users:read',
  'users:create',
  'invites:create',
  'apps:read',
  'apps:write',
] as const;
export type ServiceScope = (typeof SERVICE_SCOPES)[number];

/** Minimum role that passes the guard. The service then checks the authority over the object. */
export type MinimumRole = 'platform_admin' | 'tenant_admin' | 'app_admin' | 'app_manager' | 'user';

/**
 * Whether the route requires a recent sign-in: `always`; `for_authority` if the request makes a user a platform admin,
 * is about a Console app, whose members govern its tenant, or asks for password hashes, and if the service finds that it
 * gives authority (`needsConfirmation`); `for_settings` if the service finds that the change is critical
 * (`criticalReasons` of an app and of a tenant, the scopes of a new app, and the Firebase account); `for_codes` only for
 * the codes of invites that give authority, which the response leaves out otherwise.
 */
export type RecentSignInMark = 'never' | 'for_authority' | 'for_settings' | 'for_codes' | 'always';

/**
 * Credentials that can identify the caller of a request:
 * - `session`: the cookie of the browser's SSO session
 * - `console_session`: the cookie of the operator console
 * - `console_token`: a user's access token for a Console app
 * - `app_token`: a user's access token for any other app, which that app's server has too
 * - `service_token`: an app's own token (client credentials grant)
 * - `setup_token`: issued by a sign-in that requires the user to set up a second factor
 *
 * All other tokens (ID token, TOTP session, refresh token …) never identify the caller.
 */
export type Credential =
  'session' | 'console_session' | 'console_token' | 'app_token' | 'service_token' | 'setup_token';

/**
 * The access mark of a route, read by the access guard and by the route census. A route without a mark is refused and
 * fails the census. The mark lists the credentials that the route accepts; others are ignored
 * (test/e2e/authorization/credentials.csv has the whole table).
 */
export type AccessMark =
  /** Requires no credentials. */
  | { readonly kind: 'public'; readonly credentials: readonly Credential[] }
  /** A browser page or form: the handler decides what a signed-in user sees. Bearer tokens are ignored. */
  | { readonly kind: 'browser'; readonly credentials: readonly Credential[] }
  /** JSON about the caller's own account: the guard finds the user, see `AccountHolders`. */
  | { readonly kind: 'account'; readonly credentials: readonly Credential[] }
  /** An access token of a user with at least this role, or a service token with the scope. */
  | {
      readonly kind: 'bearer';
      readonly minimumRole: MinimumRole | null;
      readonly scope: ServiceScope | null;
      /** Exact detail of the 401. The push endpoints have a different one (docs/conventions.md, section 1). */
      readonly noToken: 'Not authenticated' | 'Invalid token';
      /** The body contains an app's own data, so the names of protected fields have no meaning in it. */
      readonly freeBody: boolean;
      /** Applies to users only: a service token has no sign-in. */
      readonly recentSignIn: RecentSignInMark;
    };

export const ACCESS_MARK = 'access-mark';

/** Metadata of a console route, with its `RecentSignInMark` as `mark`. */
export const CONSOLE_RECENT_SIGN_IN = 'console-recent-sign-in';

/** @param credentials that the handler reads if the request has them */
export const Public = (...credentials: Credential[]) =>
  SetMetadata(ACCESS_MARK, { kind: 'public', credentials } satisfies AccessMark);

/** @param more credentials in addition to the SSO session */
export const Browser = (...more: Extract<Credential, 'console_session'>[]) =>
  SetMetadata(ACCESS_MARK, { kind: 'browser', credentials: ['session', ...more] } satisfies AccessMark);

/**
 * Accepts the SSO session or a Console token. A user's credentials are valid in every tenant, so the token of another
 * app is accepted only by routes that list it, and these require an additional proof (OWASP ASVS 10.3.1).
 */
export const Account = (...more: Extract<Credential, 'app_token' | 'setup_token'>[]) =>
  SetMetadata(ACCESS_MARK, {
    kind: 'account',
    credentials: ['session', 'console_token', ...more],
  } satisfies AccessMark);

export const Requires = (who: {
  minimumRole?: MinimumRole;
  scope?: ServiceScope;
  noToken?: 'Invalid token';
  freeBody?: true;
  recentSignIn?: Exclude<RecentSignInMark, 'never'>;
}) =>
  SetMetadata(ACCESS_MARK, {
    kind: 'bearer',
    minimumRole: who.minimumRole ?? null,
    scope: who.scope ?? null,
    noToken: who.noToken ?? 'Not authenticated',
    freeBody: who.freeBody ?? false,
    recentSignIn: who.recentSignIn ?? 'never',
  } satisfies AccessMark);

/** The credentials that a route accepts. */
export function credentialsOf(mark: AccessMark): readonly Credential[] {
  if (mark.kind !== 'bearer') return mark.credentials;
  return [
    ...(mark.minimumRole ? (['console_token', 'app_token'] as const) : []),
    ...(mark.scope ? (['service_token'] as const) : []),
  ];
}
