import type { PersonScope } from './scopes.rules.js';

/** What the service knows of a user and tells an app: no given and family name, no picture and no language. */
export interface ClaimedPerson {
  readonly email: string;
  readonly emailVerified: boolean;
  readonly displayName: string;
  readonly updatedAt: Date;
  readonly roles: readonly string[];
}

/** OpenID Connect Core section 5.1, and the user's roles in the app. Each is absent where it was not asked for. */
export interface PersonClaims {
  readonly email?: string;
  readonly email_verified?: boolean;
  readonly name?: string;
  /** What the user signs in with: their address. */
  readonly preferred_username?: string;
  /** Unix seconds. */
  readonly updated_at?: number;
  readonly roles?: readonly string[];
}

export type ClaimName = keyof PersonClaims;

/** Section 5.4. */
export const CLAIMS_OF_SCOPE: Readonly<Record<PersonScope, readonly ClaimName[]>> = {
  openid: [],
  profile: ['name', 'preferred_username', 'updated_at'],
  email: ['email', 'email_verified'],
  roles: ['roles'],
  offline_access: [],
};

const VALUE_OF: { readonly [Name in ClaimName]-?: (person: ClaimedPerson) => PersonClaims[Name] } = {
  email: (person) => person.email,
  email_verified: (person) => person.emailVerified,
  name: (person) => person.displayName,
  preferred_username: (person) => person.email,
  updated_at: (person) => Math.floor(person.updatedAt.getTime() / 1000),
  roles: (person) => person.roles,
};

export const PERSON_CLAIMS = Object.keys(VALUE_OF) as readonly ClaimName[];

/**
 * @param scope space-separated; null: the sign-in asked for no scopes, and everything is notified
 * @param single claims that were asked for one by one, whatever the scopes
 */
export function personClaims(
  person: ClaimedPerson,
  scope: string | null,
  single: readonly ClaimName[] = [],
): PersonClaims {
  const names = scope === null ? PERSON_CLAIMS : [...claimsOf(scope), ...single];
  return Object.fromEntries(names.map((name) => [name, VALUE_OF[name](person)])) as PersonClaims;
}

export function valueOf(name: ClaimName, person: ClaimedPerson): unknown {
  return VALUE_OF[name](person);
}

function claimsOf(scope: string): readonly ClaimName[] {
  const known = scope.split(' ').filter((each): each is PersonScope => Object.hasOwn(CLAIMS_OF_SCOPE, each));
  return known.flatMap((each) => CLAIMS_OF_SCOPE[each]);
}
