import type { UserScope } from './scopes.rules.js';

/** What the service knows of a user and tells an app: no given and family name, no picture and no language. */
export interface ClaimedUser {
  readonly email: string;
  readonly emailVerified: boolean;
  readonly displayName: string;
  readonly updatedAt: Date;
  readonly roles: readonly string[];
}

/** OpenID Connect Core section 5.1, and the user's roles in the app. Each is absent where it was not asked for. */
export interface UserClaims {
  readonly email?: string;
  readonly email_verified?: boolean;
  readonly name?: string;
  /** What the user signs in with: their address. */
  readonly preferred_username?: string;
  /** Unix seconds. */
  readonly updated_at?: number;
  readonly roles?: readonly string[];
}

export type ClaimName = keyof UserClaims;

/** Section 5.4. */
export const CLAIMS_OF_SCOPE: Readonly<Record<UserScope, readonly ClaimName[]>> = {
  openid: [],
  profile: ['name', 'preferred_username', 'updated_at'],
  email: ['email', 'email_verified'],
  roles: ['roles'],
  offline_access: [],
};

const VALUE_OF: { readonly [Name in ClaimName]-?: (user: ClaimedUser) => UserClaims[Name] } = {
  email: (user) => user.email,
  email_verified: (user) => user.emailVerified,
  name: (user) => user.displayName,
  preferred_username: (user) => user.email,
  updated_at: (user) => Math.floor(user.updatedAt.getTime() / 1000),
  roles: (user) => user.roles,
};

export const USER_CLAIMS = Object.keys(VALUE_OF) as readonly ClaimName[];

/**
 * @param scope space-separated; null: the sign-in asked for no scopes, and everything is notified
 * @param single claims that were asked for one by one, whatever the scopes
 */
export function userClaims(user: ClaimedUser, scope: string | null, single: readonly ClaimName[] = []): UserClaims {
  const names = scope === null ? USER_CLAIMS : [...claimsOf(scope), ...single];
  return Object.fromEntries(names.map((name) => [name, VALUE_OF[name](user)])) as UserClaims;
}

export function valueOf(name: ClaimName, user: ClaimedUser): unknown {
  return VALUE_OF[name](user);
}

function claimsOf(scope: string): readonly ClaimName[] {
  const known = scope.split(' ').filter((each): each is UserScope => Object.hasOwn(CLAIMS_OF_SCOPE, each));
  return known.flatMap((each) => CLAIMS_OF_SCOPE[each]);
}
