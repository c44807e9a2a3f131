import { SetMetadata } from '@nestjs/common';

/** Scopes that a service token may carry (docs/conventions.md, section 2). */
export const SERVICE_SCOPES = [
  'push:send',
  'users:read',
  'users:create',
  'invites:create',
  'apps:read',
  'apps:write',
] as const;
export type ServiceScope = (typeof SERVICE_SCOPES)[number];

/** Least standing in which a user passes the guard; the service then judges the object itself. */
export type MinimumRole = 'platform_admin' | 'tenant_admin' | 'app_admin' | 'app_manager' | 'user';

/**
 * Whether a user's last sign-in must be recent: `always`, or `for_authority` where the request makes or unmakes a
 * platform admin, concerns who belongs to a Console app, or asks for password hashes; `for_settings` where it changes
 * what an app proves with who it is (also to Firebase), ends that its users are asked for consent, or takes away a method by
 * which they confirm who they are.
 */
export type RecentSignInMark = 'never' | 'for_authority' | 'for_settings' | 'always';

/**
 * What a request can carry to say who sends it:
 * - `session`: the cookie of the browser's SSO session
 * - `console_session`: the cookie of the operator console
 * - `console_token`: a user's access token for a Console app
 * - `app_token`: a user's access token for any other app, which the server of that app has too
 * - `service_token`: an app's own token (client credentials grant)
 * - `setup_token`: made by a sign-in that asks for a second factor to be set up
 *
 * All other tokens (ID token, TOTP session, refresh token …) never say who sends a request.
 */
export type Credential =
  'session' | 'console_session' | 'console_token' | 'app_token' | 'service_token' | 'setup_token';

/**
 * The passive mark of a route, read by the one access guard and by the route census.
 * A route without a mark is refused and fails the census. Every mark says which credentials the route takes; those that
 * it does not name are not looked at (test/e2e/authorization/credentials.csv has the whole table).
 */
export type AccessMark =
  /** Needs no credentials. */
  | { readonly kind: 'public'; readonly credentials: readonly Credential[] }
  /** A browser page or form: the handler decides what a signed-in user sees; bearer tokens are not looked at. */
  | { readonly kind: 'browser'; readonly credentials: readonly Credential[] }
  /** JSON about the caller's own account: the guard finds the user, see `AccountHolders`. */
  | { readonly kind: 'account'; readonly credentials: readonly Credential[] }
  /** A bearer access token of a user of this standing, or a service token with the scope. */
  | {
      readonly kind: 'bearer';
      readonly minimumRole: MinimumRole | null;
      readonly scope: ServiceScope | null;
      /** Exact detail of the 401: the push endpoints have one of their own (docs/conventions.md, section 1). */
      readonly noToken: 'Not authenticated' | 'Invalid token';
      /** The body carries an app's own data: names of protected fields mean nothing in it. */
      readonly freeBody: boolean;
      /** Applies to users only: a service token has no sign-in. */
      readonly recentSignIn: RecentSignInMark;
    };

export const ACCESS_MARK = 'access-mark';

/** Of a route of the console, with its `RecentSignInMark` as `mark`. */
export const CONSOLE_RECENT_SIGN_IN = 'console-recent-sign-in';

/** @param credentials those that the handler looks at, if the request carries one */
export const Public = (...credentials: Credential[]) =>
  SetMetadata(ACCESS_MARK, { kind: 'public', credentials } satisfies AccessMark);

/** @param more credentials besides the SSO session */
export const Browser = (...more: Extract<Credential, 'console_session'>[]) =>
  SetMetadata(ACCESS_MARK, { kind: 'browser', credentials: ['session', ...more] } satisfies AccessMark);

/**
 * The SSO session or a Console token. Credentials of a user belong to them in every tenant, so the token of an app is
 * enough only where a route names it and asks for a proof besides (OWASP ASVS 10.3.1).
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

/** The credentials that a route takes. */
export function credentialsOf(mark: AccessMark): readonly Credential[] {
  if (mark.kind !== 'bearer') return mark.credentials;
  return [
    ...(mark.minimumRole ? (['console_token', 'app_token'] as const) : []),
    ...(mark.scope ? (['service_token'] as const) : []),
  ];
}
