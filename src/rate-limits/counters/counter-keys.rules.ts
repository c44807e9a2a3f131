import type { Actor, ServiceActor, UserActor } from '../../common/actor.js';
import type { RateLimitLabel, RateLimitRule } from './rate-limit.rules.js';

/** A counter by its name. */
export interface CounterKey {
  readonly label: RateLimitLabel;
  readonly key: string;
}

/** Limits that protect one user's account: they count by the user and the origin of the request. */
const USER_LABELS = ['login_email', 'magic_link', 'forgot_password'] as const;

export type UserLimitLabel = (typeof USER_LABELS)[number];

/** Factor of the limit for a /48, and for a user over all networks together. */
const WIDE_FACTOR = 10;

/**
 * Factor of the limit for a network, of the limits in {@link WITH_NETWORK}: more than one, because an office has several
 * users, and less than {@link WIDE_FACTOR}, so that one network cannot use up the limit for all.
 */
const NETWORK_FACTOR = 3;

const BROWSER = 'browser:';
const USER = 'user:';
const OWN = 'own:';
const INVITERS = 'inviters:';

/**
 * Keys with two parts that also count for the first part alone, with {@link WIDE_FACTOR}: mails to a user (first part)
 * by each tenant (second), sign-ins of a user at each app, codes to an address by each account and network, and what
 * each app of a tenant sends, schedules and changes, for the tenant.
 */
const INSIDE_WIDER: ReadonlySet<RateLimitLabel> = new Set([
  'member_mail',
  'email_change_address',
  'invite_mail',
  'approval_mail',
  'webhook_notice',
  'scheduled_change_tenant',
  'app_changes',
  'membership_changes',
  'continued_sign_ins',
]);

/**
 * Limits whose hits have three parts: a subject, a source and a network. They count for subject and source, for subject
 * and network, and for the subject alone: see {@link keyFromNetwork}.
 */
const WITH_NETWORK: ReadonlySet<RateLimitLabel> = new Set(['email_change_address']);

/**
 * Keys with three parts that also count for the first two, with {@link WIDE_FACTOR}: mails to a user, by tenant, by the
 * app that caused them, or the tenant itself.
 */
const INSIDE_WIDER_PAIR: ReadonlySet<RateLimitLabel> = new Set([
  'administrator_mail',
  'access_request_mail',
  'scheduled_change_mail',
]);

/**
 * The key of a user as a caller: for all their sessions and tokens of Console apps. Requests of an app's server with
 * the user's token have a separate key with both: they must not use up the limit of the user, nor that of another app.
 * @param viaApp see {@link UserActor}
 */
export function userKey(userId: string, viaApp: string | null): string {
  const own = `${USER}${userId}`;
  return viaApp === null ? own : keyOf(own, viaApp);
}

/** The key of the caller; null for callers without an identity. */
export function callerKey(actor: UserActor | ServiceActor): string;
export function callerKey(actor: Actor): string | null;
export function callerKey(actor: Actor): string | null {
  if (actor.type === 'user') return userKey(actor.userId, actor.viaApp);
  return actor.type === 'service' ? `app:${actor.appId}` : null;
}

/** The key of `own_account`: with an app, it contains both. @param viaApp see {@link UserActor} */
export function ownAccountKey(userId: string, viaApp: string | null): string {
  return viaApp === null ? userId : userKey(userId, viaApp);
}

/** The key of a known browser of the user. @param id of the record of that browser */
export function browserKey(id: string): string {
  return `${BROWSER}${id}`;
}

export function isBrowserKey(source: string): boolean {
  return source.startsWith(BROWSER);
}

/**
 * A key with two parts, for example a client and a network address. A blank separates them, so blanks in the subject
 * are replaced.
 */
export function keyOf(subject: string, source: string): string {
  return `${subject.replaceAll(/\s/g, '_')} ${source}`;
}

/**
 * A tenant in a key: all its apps together, or separately the tenant itself, with its settings and its Console app.
 * Actions of apps must not use up the limit of the tenant itself.
 */
export function tenantPart(tenantId: string, isOfTenant: boolean): string {
  return isOfTenant ? OWN + tenantId : tenantId;
}

/** The app managers and servers of a tenant in a key: they must not use up the limit of its admins. */
export function invitersPart(tenantId: string): string {
  return INVITERS + tenantId;
}

/**
 * A user, and an app of a tenant; the wider key contains all apps of the tenant. All are ids.
 * @param isOfTenant whether the app is the tenant's Console app: see {@link tenantPart}
 */
export function keyInTenant(userId: string, tenantId: string, appId: string, isOfTenant: boolean): string {
  return `${userId} ${tenantPart(tenantId, isOfTenant)} ${appId}`;
}

/** A pair and the network that the request comes from. It names a hit, and no counter: see {@link keysOfHit}. */
export function keyFromNetwork(subject: string, source: string, network: string): string {
  return `${keyOf(subject, source)} ${network}`;
}

/** The parts of a key: one, or a subject and its origin, which may have two. */
export function partsOf(key: string): readonly string[] {
  return key.split(' ');
}

/**
 * The parts under which operators find a counter. A counter of a user at an app is found by the user: an app has so
 * many of these that its own would be lost among them, and clearing the limits of its server should not clear those of
 * its users. A counter of a tenant itself is found like those of its apps.
 */
export function findableParts(key: string): readonly string[] {
  const parts = partsOf(key).map((part) => {
    const prefix = [OWN, INVITERS].find((each) => part.startsWith(each));
    return prefix ? part.slice(prefix.length) : part;
  });
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

/** The rule for this counter. */
export function ruleForKey(rule: RateLimitRule, label: RateLimitLabel, key: string): RateLimitRule {
  const [, source] = partsOf(key);
  const parts = partsOf(key).length;
  // Not more for a /48: it costs as little as one IPv4 address.
  if (WITH_NETWORK.has(label) && source !== undefined && isNetwork(source))
    return { ...rule, points: rule.points * NETWORK_FACTOR };
  const isWide = key.endsWith('::/48') || (INSIDE_WIDER_PAIR.has(label) ? parts === 2 : isWider(label) && parts === 1);
  return isWide ? { ...rule, points: rule.points * WIDE_FACTOR } : rule;
}

/** Whether a part is a network address in the format of `clientAddressKey`, and not an id. */
function isNetwork(part: string): boolean {
  return /[.:]/.test(part);
}

/** Whether the subject of a key with two parts has a higher limit than both parts together. */
function isWider(label: RateLimitLabel): boolean {
  return isOfUser(label) || INSIDE_WIDER.has(label);
}

export function isOfUser(label: RateLimitLabel): label is UserLimitLabel {
  return USER_LABELS.some((each) => each === label);
}

/** The /48 of a /64, both in the format of `clientAddressKey`; null for anything else. */
export function widerNetwork(network: string): string | null {
  const prefix = /^([0-9a-f:]*)::\/64$/.exec(network)?.[1];
  if (prefix === undefined) return null;
  const groups = prefix.split(':').slice(0, 3);
  while (groups.at(-1) === '0') groups.pop();
  return `${groups.join(':')}::/48`;
}
