import type { UserScope } from './scopes.rules.js';

/** User data that an app can get. There is no given and family name, no picture and no language. */
export interface ClaimedUser {
  readonly email: string;
  readonly emailVerified: boolean;
  readonly displayName: string;
  readonly updatedAt: Date;
  readonly roles: readonly string[];
}

/** OpenID Connect Core section 5.1, and the user's roles in the app. Claims that were not requested are absent. */
export interface UserClaims {
  readonly email?: string;
  readonly email_verified?: boolean;
  readonly name?: string;
  /** The user's e-mail address, with which they sign in. */
  readonly preferred_username?: string;
  /** In Unix seconds. */
  readonly updated_at?: number;
  readonly roles?: readonly string[];
}

export type ClaimName = keyof UserClaims;

/** OpenID Connect Core section 5.4. */
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
 * @param scope space-separated; null: the sign-in requested no scopes, and gets everything
 * @param single individually requested claims, in addition to the scopes
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
