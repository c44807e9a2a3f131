import type { AuditRow } from '../../../../audit/audit.service.js';
import type { AuditAction } from '../../../../audit/entries/audit-action.js';
import {
  type ExampleMembership,
  type ExampleUser,
  type ExampleSignIn,
  FOUNDED_DAYS,
  type ExampleDevice,
} from './example-users.rules.js';
import { EXAMPLE_TENANTS, type ExampleApp, type ExampleTenant } from './example-tenants.js';

/** A user of the example, and the id of their account. */
export interface ExampleAccount extends ExampleUser {
  readonly id: string;
}

export interface ExampleAppRow {
  readonly id: string;
  readonly tenantId: string;
}

/** Tenant and app of an entry; the app's id is null for the tenant itself. */
type EntryApp = Omit<ExampleAppRow, 'id'> & { readonly id: string | null };

export type PastEntry = AuditRow & { readonly createdAt: Date };

type Subject = Partial<PastEntry> & Pick<PastEntry, 'createdAt'>;

const HOUR_MS = 3600 * 1000;
const DAY_MS = 24 * HOUR_MS;
/** Changes that administrators made to apps, and how many days ago. */
const APP_CHANGES = [
  [{ fields: ['config'], config: ['redirect_uris'] }, 5.2],
  [{ fields: ['branding'] }, 12.1],
  [{ fields: ['config'], config: ['token_lifetime_minutes'] }, 26.3],
  [{ fields: ['config'], config: ['allowed_providers'] }, 61.2],
] as const;
const PUSH_SINCE_DAYS = 74;
/** Hours from a request to its approval. */
const DECISION_HOURS = 19;
const BY_SYSTEM = { actorType: 'system', actorId: 'example-data' } as const;
/** Hours between the changes of one app and those of the next. */
const HOURS_APART = 31;

interface Made {
  readonly apps: ReadonlyMap<string, ExampleAppRow>;
  readonly adminOf: (bundleId: string) => ExampleAccount;
  readonly now: Date;
}

/** The audit entries of the example, oldest first, as if its users had caused them. */
export function exampleHistory(
  users: readonly ExampleAccount[],
  apps: ReadonlyMap<string, ExampleAppRow>,
  now: Date,
): PastEntry[] {
  const made = { apps, adminOf: firstAdminOf(users), now };
  const entries = [
    ...EXAMPLE_TENANTS.flatMap((tenant) => foundingOf(tenant, adminsOf(users, tenant.slug), made)),
    ...EXAMPLE_TENANTS.flatMap(({ apps }) => apps).flatMap((app, place) => changesOf(app, place, made)),
    ...users.flatMap((user) => lifeOf(user, made)),
  ];
  return entries.sort((one, other) => one.createdAt.getTime() - other.createdAt.getTime());
}

function adminsOf(users: readonly ExampleAccount[], slug: string): ExampleAccount[] {
  return users.filter(({ administers }) => administers === slug);
}

/** The admin of an app's tenant. */
export function firstAdminOf(users: readonly ExampleAccount[]): (bundleId: string) => ExampleAccount {
  const admins = EXAMPLE_TENANTS.flatMap(({ slug, apps }) =>
    apps.map(({ bundleId }) => [bundleId, adminsOf(users, slug)[0]!] as const),
  );
  const byApp = new Map(admins);
  return (bundleId) => byApp.get(bundleId)!;
}

/** When the tenant and its apps were created. */
export function foundedAt(now: Date): Date {
  return new Date(now.getTime() - FOUNDED_DAYS * DAY_MS - HOUR_MS);
}

function foundingOf(
  { slug, name, apps: own }: ExampleTenant,
  [first, ...others]: readonly ExampleAccount[],
  { apps, now }: Made,
): PastEntry[] {
  if (!first) return [];
  const { tenantId } = apps.get(own[0]!.bundleId)!;
  const place = { id: null, tenantId };
  const target = { targetType: 'tenant', targetId: tenantId };
  const begun = foundedAt(now);
  const added = (who: ExampleAccount) => ({ userId: who.id, ...target, metadata: { email: who.email } });
  const later = (hours: number) => new Date(begun.getTime() + hours * HOUR_MS);
  return [
    entry('tenant.created', place, { ...BY_SYSTEM, ...target, createdAt: begun, metadata: { name, slug } }),
    entry('tenant.admin_added', place, { ...BY_SYSTEM, ...added(first), createdAt: later(2) }),
    ...others.map((other) => byAdmin('tenant.admin_added', first, place, later(26), added(other))),
    ...own.map((app, index) => {
      const about = { targetType: 'app', targetId: apps.get(app.bundleId)!.id, metadata: { name: app.name } };
      return byAdmin('app.created', first, apps.get(app.bundleId)!, later(3 + index), about);
    }),
  ];
}

function changesOf({ bundleId, webhook }: ExampleApp, place: number, { apps, adminOf, now }: Made): PastEntry[] {
  const app = apps.get(bundleId)!;
  const change = (action: AuditAction, metadata: object, daysAgo: number): PastEntry => {
    const at = new Date(now.getTime() - daysAgo * DAY_MS - place * HOURS_APART * HOUR_MS);
    return byAdmin(action, adminOf(bundleId), app, at, {
      metadata: { ...metadata },
      targetType: 'app',
      targetId: app.id,
    });
  };
  return [
    ...APP_CHANGES.filter((_, index) => place % 2 === index % 2).map(([metadata, daysAgo]) =>
      change('app.updated', metadata, daysAgo),
    ),
    ...(webhook ? [change('push.config_changed', { fields: ['enabled', 'webhook_url'] }, PUSH_SINCE_DAYS)] : []),
  ];
}

function lifeOf(user: ExampleAccount, made: Made): PastEntry[] {
  const { apps } = made;
  const first = apps.get(user.memberships[0]!.bundleId)!;
  return [
    byUser('user.created', user, first, user.createdAt, { metadata: { by: 'sign_up' } }),
    ...user.memberships.flatMap((membership) => membershipEntries(user, membership, made)),
    ...user.signIns.map((signIn) => signInEntry(user, signIn, apps.get(signIn.bundleId)!)),
  ];
}

function membershipEntries(
  user: ExampleAccount,
  { bundleId, roles, status, since, message }: ExampleMembership,
  { apps, adminOf, now }: Made,
): PastEntry[] {
  const app = apps.get(bundleId)!;
  const admin = adminOf(bundleId);
  const about = { userId: user.id, targetType: 'user', targetId: user.id };
  if (status === 'pending')
    return [byUser('enrollment.pending', user, app, since, { metadata: { roles, ...(message && { message }) } })];
  const requested = new Date(Math.max(user.createdAt.getTime(), since.getTime() - DECISION_HOURS * HOUR_MS));
  const joined =
    policyOf(bundleId) === 'approval' && user !== admin
      ? [
          byUser('enrollment.pending', user, app, requested, { metadata: { roles } }),
          byAdmin('enrollment.approved', admin, app, since, { ...about, metadata: { roles } }),
        ]
      : [byUser('enrollment.created', user, app, since, { metadata: { roles } })];
  if (status === 'active') return joined;
  const middle = new Date((since.getTime() + now.getTime()) / 2);
  return [...joined, byAdmin('user.suspended', admin, app, middle, about)];
}

export function policyOf(bundleId: string): string {
  return EXAMPLE_TENANTS.flatMap(({ apps }) => apps).find((app) => app.bundleId === bundleId)!.policy;
}

/** Recorded as real sign-ins are: a wrong password contains no user id, only the address. */
function signInEntry(
  user: ExampleAccount,
  { at, method, outcome, ip, userAgent }: ExampleSignIn,
  app: ExampleAppRow,
): PastEntry {
  const where = from({ ip, userAgent });
  if (outcome === 'success') {
    const amr = method === 'google' ? ['fed', 'google'] : ['email'];
    return byUser('user.login', user, app, at, { ...where, metadata: { via: 'hosted', amr } });
  }
  const failed = { ...where, actorType: 'anonymous', actorId: null, actorEmail: null } as const;
  if (outcome === 'suspended')
    return byUser('user.login_failed', user, app, at, {
      ...failed,
      outcome: 'denied',
      metadata: { reason: 'suspended' },
    });
  const metadata = { reason: 'invalid_credentials', method: 'password', email: user.email };
  return byUser('user.login_failed', user, app, at, { ...failed, userId: null, outcome: 'failure', metadata });
}

function byUser(
  action: AuditAction,
  user: ExampleAccount,
  app: ExampleAppRow,
  createdAt: Date,
  more: Partial<Subject>,
) {
  const { id, email, office } = user;
  const about = { userId: id, targetType: 'user', targetId: id };
  return entry(action, app, {
    actorType: 'user',
    actorId: id,
    actorEmail: email,
    ...about,
    ...from(office),
    createdAt,
    ...more,
  });
}

function byAdmin(action: AuditAction, admin: ExampleAccount, app: EntryApp, createdAt: Date, more: Partial<Subject>) {
  const { id, email, office } = admin;
  return entry(action, app, { actorType: 'user', actorId: id, actorEmail: email, ...from(office), createdAt, ...more });
}

function from({ ip, userAgent }: ExampleDevice) {
  return { ipAddress: ip, userAgent };
}

function entry(action: AuditAction, { id, tenantId }: EntryApp, subject: Subject): PastEntry {
  return {
    action,
    outcome: 'success',
    actorType: 'system',
    actorId: null,
    actorEmail: null,
    actingAs: null,
    userId: null,
    tenantId,
    appId: id,
    targetType: null,
    targetId: null,
    ipAddress: null,
    userAgent: null,
    requestId: null,
    metadata: {},
    ...subject,
  };
}
