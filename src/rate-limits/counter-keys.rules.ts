import type { RateLimitLabel, RateLimitRule } from './rate-limit.rules.js';

/** A counter by its name. */
export interface CounterKey {
  readonly label: RateLimitLabel;
  readonly key: string;
}

/** Limits that protect one person's account: they count by the person and where the request comes from. */
const PERSON_LABELS = ['login_email', 'magic_link', 'forgot_password'] as const;

export type PersonLimitLabel = (typeof PERSON_LABELS)[number];

/** So many times as much passes for a /48, and for a person over all networks together. */
const WIDE_FACTOR = 10;

const BROWSER = 'browser:';

/**
 * Counted by two, and more widely by the first of them: mails to a person by each tenant, and what each app of a tenant sends and plans.
 */
const INSIDE_WIDER: ReadonlySet<RateLimitLabel> = new Set(['member_mail', 'invite_mail', 'scheduled_change_tenant']);

/** Counted by three, and more widely by the first two: mails to a person, caused at each app of each tenant. */
const INSIDE_WIDER_PAIR: ReadonlySet<RateLimitLabel> = new Set(['administrator_mail', 'scheduled_change_mail']);

/** The key of a person as a caller, over all their tokens and sessions. */
export function callerKey(userId: string): string {
  return `user:${userId}`;
}

/** The key of a browser that is known to be the person's. @param id of their acquaintance */
export function browserKey(id: string): string {
  return `${BROWSER}${id}`;
}

export function isBrowserKey(source: string): boolean {
  return source.startsWith(BROWSER);
}

/** One of two, e.g. a client at a network address. Blanks part them, so the subject, which people type, keeps none. */
export function keyOf(subject: string, source: string): string {
  return `${subject.replaceAll(/\s/g, '_')} ${source}`;
}

/** A person, what is caused at an app of a tenant, and with it what is caused in the tenant. All are ids. */
export function keyInTenant(userId: string, tenantId: string, appId: string): string {
  return `${userId} ${tenantId} ${appId}`;
}

/** What a key is made of: one part, or a subject and where it comes from, which may be two. */
export function partsOf(key: string): readonly string[] {
  return key.split(' ');
}

/**
 * Every counter that a hit counts in, the narrowest first. An IPv6 /64 lies in a /48, because anyone who holds one has
 * 65,536 of the other; what is tried for a person from one network, or sent by one tenant, is tried for the person; and what
 * is planned or mailed for an app is so in its tenant.
 */
export function keysOfHit(label: RateLimitLabel, key: string): string[] {
  const [subject, source, within] = partsOf(key) as [string, string?, string?];
  if (INSIDE_WIDER_PAIR.has(label)) return within === undefined ? [key] : [key, keyOf(subject, source!)];
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
  return isOfPerson(label) || INSIDE_WIDER.has(label);
}

export function isOfPerson(label: RateLimitLabel): label is PersonLimitLabel {
  return PERSON_LABELS.some((each) => each === label);
}

/** The /48 around a /64, both as `clientAddressKey` writes them; null for everything else. */
export function widerNetwork(network: string): string | null {
  const prefix = /^([0-9a-f:]*)::\/64$/.exec(network)?.[1];
  if (prefix === undefined) return null;
  const groups = prefix.split(':').slice(0, 3);
  while (groups.at(-1) === '0') groups.pop();
  return `${groups.join(':')}::/48`;
}
