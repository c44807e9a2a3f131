import type { Actor, ServiceActor, UserActor } from '../../common/actor.js';
import type { RateLimitLabel, RateLimitRule } from './rate-limit.rules.js';

/** A counter by its name. */
export interface CounterKey {
  readonly label: RateLimitLabel;
  readonly key: string;
}

/** Limits that protect one user's account: they count by the user and where the request comes from. */
const USER_LABELS = ['login_email', 'magic_link', 'forgot_password'] as const;

export type UserLimitLabel = (typeof USER_LABELS)[number];

/** So many times as much passes for a /48, and for a user over all networks together. */
const WIDE_FACTOR = 10;

const BROWSER = 'browser:';
const USER = 'user:';
const OWN = 'own:';

/**
 * Counted by two, and more widely by the first of them: mails to a user by each tenant, codes to an address by each account and
 * network, and what each app of a tenant sends and plans.
 */
const INSIDE_WIDER: ReadonlySet<RateLimitLabel> = new Set([
  'member_mail',
  'email_change_address',
  'invite_mail',
  'scheduled_change_tenant',
]);

/** Counted by a pair, by the first of it and the network, and more widely by the first of them: see {@link keyFromNetwork}. */
const WITH_NETWORK: ReadonlySet<RateLimitLabel> = new Set(['email_change_address']);

/** Counted by three, and more widely by the first two: mails to a user, caused at each app of each tenant, or by the tenant itself. */
const INSIDE_WIDER_PAIR: ReadonlySet<RateLimitLabel> = new Set(['administrator_mail', 'scheduled_change_mail']);

/**
 * The key of a user as a caller: over all their sessions and tokens of Console apps. What an app's server sends with a
 * token of theirs counts for both: it must not use up what the user needs themselves, nor what another app does.
 * @param viaApp see {@link UserActor}
 */
export function userKey(userId: string, viaApp: string | null): string {
  const own = `${USER}${userId}`;
  return viaApp === null ? own : keyOf(own, viaApp);
}

/** The key of who asks; null for those who have no identity to count by. */
export function callerKey(actor: UserActor | ServiceActor): string;
export function callerKey(actor: Actor): string | null;
export function callerKey(actor: Actor): string | null {
  if (actor.type === 'user') return userKey(actor.userId, actor.viaApp);
  return actor.type === 'service' ? `app:${actor.appId}` : null;
}

/** The key of `own_account`: through an app it counts for both. @param viaApp see {@link UserActor} */
export function ownAccountKey(userId: string, viaApp: string | null): string {
  return viaApp === null ? userId : userKey(userId, viaApp);
}

/** The key of a browser that is known to be the user's. @param id of their acquaintance */
export function browserKey(id: string): string {
  return `${BROWSER}${id}`;
}

export function isBrowserKey(source: string): boolean {
  return source.startsWith(BROWSER);
}

/** One key of two parts, e.g. a client at a network address. A blank separates them, so blanks in the subject are replaced. */
export function keyOf(subject: string, source: string): string {
  return `${subject.replaceAll(/\s/g, '_')} ${source}`;
}

/**
 * A tenant in a key: all its apps together, or apart from them the tenant itself, which is its settings and its Console app. What
 * apps cause must not use up what the tenant itself needs.
 */
export function tenantPart(tenantId: string, isOfTenant: boolean): string {
  return isOfTenant ? OWN + tenantId : tenantId;
}

/**
 * A user, what is caused at an app of a tenant, and with it what is caused at all its apps. All are ids.
 * @param isOfTenant the app is its Console app: see {@link tenantPart}
 */
export function keyInTenant(userId: string, tenantId: string, appId: string, isOfTenant: boolean): string {
  return `${userId} ${tenantPart(tenantId, isOfTenant)} ${appId}`;
}

/** A pair and the network that the request comes from. It names a hit, and no counter: see {@link keysOfHit}. */
export function keyFromNetwork(subject: string, source: string, network: string): string {
  return `${keyOf(subject, source)} ${network}`;
}

/** What a key is made of: one part, or a subject and where it comes from, which may be two. */
export function partsOf(key: string): readonly string[] {
  return key.split(' ');
}

/**
 * The parts under which operators find a counter. One of a user at an app is the user's: an app has so many of them
 * that its own would be lost among them, and who clears the limits of its server does not mean its users. One of a tenant
 * itself is found as those of its apps are.
 */
export function findableParts(key: string): readonly string[] {
  const parts = partsOf(key).map((part) => (part.startsWith(OWN) ? part.slice(OWN.length) : part));
  return isViaApp(key) ? parts.slice(0, 1) : parts;
}

/** Whether it is the {@link userKey} of a user at an app. */
export function isViaApp(key: string): boolean {
  return key.startsWith(USER) && partsOf(key).length > 1;
}

/**
 * All counters of a hit, the narrowest first. An IPv6 /64 also counts in its /48, because the owner of a /48 has 65,536
 * of them. A try for a user from one network, or a mail by one tenant, also counts for the user. A plan or mail of an app
 * also counts for its tenant. A code for an address counts for the account that asks, the network, and the address.
 */
export function keysOfHit(label: RateLimitLabel, key: string): string[] {
  const [subject, source, within] = partsOf(key) as [string, string?, string?];
  if (INSIDE_WIDER_PAIR.has(label)) return within === undefined ? [key] : [key, keyOf(subject, source!)];
  if (WITH_NETWORK.has(label) && within !== undefined)
    return [keyOf(subject, source!), ...keysOfHit(label, keyOf(subject, within))];
  const wider = widerNetwork(source ?? subject);
  const networks = wider === null ? [key] : [key, source === undefined ? wider : keyOf(subject, wider)];
  return isWider(label) && source !== undefined && !isBrowserKey(source) ? [...networks, subject] : networks;
}

/** The rule for this very counter. */
export function ruleForKey(rule: RateLimitRule, label: RateLimitLabel, key: string): RateLimitRule {
  const parts = partsOf(key).length;
  const isWide = key.endsWith('::/48') || (INSIDE_WIDER_PAIR.has(label) ? parts === 2 : isWider(label) && parts === 1);
  return isWide ? { ...rule, points: rule.points * WIDE_FACTOR } : rule;
}

/** Whether more passes for the subject of a key of two parts than for both together. */
function isWider(label: RateLimitLabel): boolean {
  return isOfUser(label) || INSIDE_WIDER.has(label);
}

export function isOfUser(label: RateLimitLabel): label is UserLimitLabel {
  return USER_LABELS.some((each) => each === label);
}

/** The /48 around a /64, both as `clientAddressKey` writes them; null for everything else. */
export function widerNetwork(network: string): string | null {
  const prefix = /^([0-9a-f:]*)::\/64$/.exec(network)?.[1];
  if (prefix === undefined) return null;
  const groups = prefix.split(':').slice(0, 3);
  while (groups.at(-1) === '0') groups.pop();
  return `${groups.join(':')}::/48`;
}
