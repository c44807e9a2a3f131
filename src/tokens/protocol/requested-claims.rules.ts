import { findHostileValue } from '../../common/validation/hostile-json.js';
import { type Acr, knownAcrs, type RequestedAcr } from './acr.rules.js';
import { hasScope } from './scopes.rules.js';
import { type ClaimedUser, type ClaimName, USER_CLAIMS, valueOf } from './user-claims.rules.js';

/** Where a claim can be requested (OpenID Connect Core section 5.5). */
export const CLAIM_DESTINATIONS = ['userinfo', 'id_token'] as const;
export type ClaimDestination = (typeof CLAIM_DESTINATIONS)[number];

/** Claims of the user by name. A list contains the only values with which the claim is returned. */
type Wanted = Readonly<Partial<Record<ClaimName, readonly unknown[] | null>>>;

/** The claims parameter as it is stored with the code and the sign-in: only claims that the service knows. */
export type RequestedClaims = Readonly<Record<ClaimDestination, Wanted>> & {
  /** Requested values of `acr`, in order of preference. */
  readonly acr?: readonly Acr[];
};

export interface ClaimsParameter {
  readonly requested: RequestedClaims;
  /** The requested values of `sub`; null: any user. Empty if the two members contain different users. */
  readonly subjects: readonly string[] | null;
  /** Requested values of `acr`, of which some may be supported; null: requested without values, or not at all. */
  readonly acr: RequestedAcr | null;
}

type Members = Readonly<Record<ClaimDestination, Readonly<Record<string, IndividualRequest>>>>;

interface IndividualRequest {
  readonly isEssential: boolean;
  /** `value` or `values`; null: any. */
  readonly values: readonly unknown[] | null;
}

/** Reads the parameter `claims`; null if it does not match section 5.5. Unknown claims are ignored. */
export function readClaims(text: string): ClaimsParameter | null {
  const members = membersOf(text);
  if (!members) return null;
  const acr = members.id_token['acr'];
  return {
    requested: { userinfo: known(members.userinfo), id_token: known(members.id_token) },
    subjects: subjectsOf(members),
    acr: acr?.values ? { values: knownAcrs(acr.values), isEssential: acr.isEssential } : null,
  };
}

/**
 * The claims that a sign-in requested; null if there are none. They require the scope `openid` (section 5.5), except
 * for `acr`, which access tokens have, too (RFC 9470).
 */
export function requestedClaims(
  text: string | null | undefined,
  scope: string | null,
  acr: RequestedAcr | null = null,
): RequestedClaims | null {
  const isOpenId = hasScope(scope, 'openid');
  const requested = (isOpenId && text ? readClaims(text)?.requested : null) ?? { userinfo: {}, id_token: {} };
  const isSingle = CLAIM_DESTINATIONS.some((place) => Object.keys(requested[place]).length > 0);
  if (acr !== null && acr.values.length > 0) return { ...requested, acr: acr.values };
  return isSingle ? requested : null;
}

/**
 * The requested claims that are returned because their values match. A token with fewer scopes than the sign-in was
 * granted contains no individually requested claims: its client has asked for less.
 */
export function matchingClaims(
  requested: RequestedClaims | null,
  place: ClaimDestination,
  user: ClaimedUser,
): readonly ClaimName[] {
  const wanted = requested?.[place] ?? {};
  return USER_CLAIMS.filter((name) => {
    const values = wanted[name];
    return values === null || values?.some((value) => isSame(value, valueOf(name, user)));
  });
}

/** Whether this token has all scopes that its sign-in was granted. */
export function hasWholeScope(granted: string | null, scope: string | null): boolean {
  const kept = new Set(scope?.split(' ') ?? []);
  return granted === null || granted.split(' ').every((each) => kept.has(each));
}

function membersOf(text: string): Members | null {
  const parsed = parse(text);
  if (!isObject(parsed) || findHostileValue(parsed, [])) return null;
  const [userinfo, idToken] = CLAIM_DESTINATIONS.map((place) => individualRequests(parsed[place]));
  return userinfo && idToken ? { userinfo, id_token: idToken } : null;
}

function individualRequests(member: unknown): Readonly<Record<string, IndividualRequest>> | null {
  if (member === undefined) return {};
  if (!isObject(member)) return null;
  const entries = Object.entries(member).map(([name, asked]) => [name, individualRequest(name, asked)] as const);
  return entries.every((entry): entry is [string, IndividualRequest] => entry[1] !== null)
    ? Object.fromEntries(entries)
    : null;
}

/**
 * Section 5.5.1: null, or an object with `essential`, `value` and `values`; other members are ignored. Values must be
 * valid for the claim, which is checked for `sub`, because it selects the user.
 */
function individualRequest(name: string, asked: unknown): IndividualRequest | null {
  if (asked === null) return { isEssential: false, values: null };
  if (!isObject(asked)) return null;
  const { essential = false, value, values } = asked;
  if (typeof essential !== 'boolean' || (values !== undefined && !Array.isArray(values))) return null;
  const wanted = (value === undefined ? values : [value]) as readonly unknown[] | undefined;
  if (name === 'sub' && wanted?.some((each) => typeof each !== 'string')) return null;
  return { isEssential: essential, values: wanted ?? null };
}

function known(requests: Readonly<Record<string, IndividualRequest>>): Wanted {
  const names = USER_CLAIMS.filter((name) => Object.hasOwn(requests, name));
  return Object.fromEntries(names.map((name) => [name, requests[name]!.values]));
}

function subjectsOf(members: Members): readonly string[] | null {
  const lists = CLAIM_DESTINATIONS.flatMap((place) => {
    const values = members[place]['sub']?.values;
    return values ? [values.map(String)] : [];
  });
  return lists.length === 0 ? null : lists.reduce((left, right) => left.filter((each) => right.includes(each)));
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return null;
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
