import type { AuditRow } from '../../../audit/audit.service.js';
import type { AuditAction } from '../../../audit/entries/audit-action.js';
import type { ExampleMembership, ExamplePerson, ExampleSignIn } from './example-people.rules.js';
import { EXAMPLE_TENANTS } from './example-tenants.js';

/** A person of the example, and the id of their account. */
export interface MadePerson extends ExamplePerson {
  readonly id: string;
}

/** Where an entry belongs. */
export interface MadeApp {
  readonly id: string;
  readonly tenantId: string;
}

export type PastEntry = AuditRow & { readonly createdAt: Date };

type Subject = Partial<PastEntry> & Pick<PastEntry, 'createdAt'>;

const HOUR_MS = 3600 * 1000;
const DAY_MS = 24 * HOUR_MS;
/** Fields of apps that administrators changed, and how many days ago. */
const APP_CHANGES = [
  ['redirect_uris', 5],
  ['branding', 12],
  ['token_lifetime_minutes', 26],
  ['allowed_providers', 61],
] as const;

/** What the audit log says of the example, oldest first: as if the people had done it. */
export function exampleHistory(
  people: readonly MadePerson[],
  apps: ReadonlyMap<string, MadeApp>,
  now: Date,
): PastEntry[] {
  const admins = new Map(
    people.flatMap((person) => (person.administers ? [[person.administers, person] as const] : [])),
  );
  const adminOf = (bundleId: string): MadePerson =>
    admins.get(EXAMPLE_TENANTS.find((tenant) => tenant.apps.some((app) => app.bundleId === bundleId))!.slug)!;
  const entries = [
    ...people.flatMap((person) => lifeOf(person, apps, adminOf, now)),
    ...EXAMPLE_TENANTS.flatMap((tenant) =>
      tenant.apps.flatMap(({ bundleId }, index) =>
        APP_CHANGES.filter((_, place) => place % 2 === index % 2).map(([field, daysAgo]) =>
          byAdmin('app.updated', adminOf(bundleId), apps.get(bundleId)!, new Date(now.getTime() - daysAgo * DAY_MS), {
            metadata: { fields: [field] },
            targetType: 'app',
            targetId: apps.get(bundleId)!.id,
          }),
        ),
      ),
    ),
  ];
  return entries.sort((one, other) => one.createdAt.getTime() - other.createdAt.getTime());
}

function lifeOf(
  person: MadePerson,
  apps: ReadonlyMap<string, MadeApp>,
  adminOf: (bundleId: string) => MadePerson,
  now: Date,
): PastEntry[] {
  const first = apps.get(person.memberships[0]!.bundleId)!;
  return [
    byPerson('user.created', person, first, person.createdAt, { metadata: { by: 'sign_up' } }),
    ...person.memberships.flatMap((membership) => membershipEntries(person, membership, apps, adminOf, now)),
    ...person.signIns.map((signIn) => signInEntry(person, signIn, apps.get(signIn.bundleId)!)),
  ];
}

function membershipEntries(
  person: MadePerson,
  { bundleId, roles, status, since, message }: ExampleMembership,
  apps: ReadonlyMap<string, MadeApp>,
  adminOf: (bundleId: string) => MadePerson,
  now: Date,
): PastEntry[] {
  const app = apps.get(bundleId)!;
  if (status === 'pending')
    return [byPerson('enrollment.pending', person, app, since, { metadata: { roles, ...(message && { message }) } })];
  const joined = byPerson('enrollment.created', person, app, since, { metadata: { roles } });
  if (status === 'active') return [joined];
  const middle = new Date((since.getTime() + now.getTime()) / 2);
  const about = { userId: person.id, targetType: 'user', targetId: person.id };
  return [joined, byAdmin('user.suspended', adminOf(bundleId), app, middle, about)];
}

/** As sign-ins are recorded: a wrong password names no user, only the address that was tried. */
function signInEntry(
  person: MadePerson,
  { at, method, outcome, ip: ipAddress, userAgent }: ExampleSignIn,
  app: MadeApp,
): PastEntry {
  const from = { ipAddress, userAgent };
  if (outcome === 'success') {
    const amr = method === 'google' ? ['fed', 'google'] : ['email'];
    return byPerson('user.login', person, app, at, { ...from, metadata: { via: 'hosted', amr } });
  }
  const failed = { ...from, actorType: 'anonymous', actorId: null, actorEmail: null } as const;
  if (outcome === 'suspended')
    return byPerson('user.login_failed', person, app, at, {
      ...failed,
      outcome: 'denied',
      metadata: { reason: 'suspended' },
    });
  const metadata = { reason: 'invalid_credentials', method: 'password', email: person.email };
  return byPerson('user.login_failed', person, app, at, { ...failed, userId: null, outcome: 'failure', metadata });
}

function byPerson(action: AuditAction, person: MadePerson, app: MadeApp, createdAt: Date, more: Partial<Subject>) {
  const { id, email } = person;
  const about = { userId: id, targetType: 'user', targetId: id };
  return entry(action, app, { actorType: 'user', actorId: id, actorEmail: email, ...about, createdAt, ...more });
}

function byAdmin(action: AuditAction, admin: MadePerson, app: MadeApp, createdAt: Date, more: Partial<Subject>) {
  return entry(action, app, { actorType: 'user', actorId: admin.id, actorEmail: admin.email, createdAt, ...more });
}

function entry(action: AuditAction, { id, tenantId }: MadeApp, subject: Subject): PastEntry {
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
