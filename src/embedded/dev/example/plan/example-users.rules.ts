import type { EnrollmentStatus } from '../../../../enrollment/enrollments/enrollment.entity.js';
import { EXAMPLE_NAMES, UNUSUAL_NAMES } from './example-names.js';
import { ExampleRandom } from './example-random.js';
import { EXAMPLE_TENANTS, type ExampleApp, type ExampleTenant } from './example-tenants.js';

export interface ExampleMembership {
  readonly bundleId: string;
  readonly roles: readonly string[];
  readonly status: EnrollmentStatus;
  readonly since: Date;
  /** Message of a pending request for access. */
  readonly message: string | null;
}

/** Network address and browser of a sign-in. */
export interface ExampleDevice {
  readonly ip: string;
  readonly userAgent: string;
}

export interface ExampleSignIn extends ExampleDevice {
  readonly bundleId: string;
  readonly at: Date;
  readonly method: 'google' | 'magic_link';
  readonly outcome: 'success' | 'wrong_password' | 'suspended';
}

export interface ExampleUser {
  readonly email: string;
  readonly displayName: string;
  readonly emailVerified: boolean;
  readonly createdAt: Date;
  /** Where the user usually signs in. */
  readonly office: ExampleDevice;
  /** Slug of the tenant that the user administers. */
  readonly administers: string | null;
  readonly memberships: readonly ExampleMembership[];
  /** In the last 90 days, oldest first. */
  readonly signIns: readonly ExampleSignIn[];
}

const SEED = 20_261_101;
const HOUR_MS = 3600 * 1000;
const DAY_MS = 24 * HOUR_MS;
const HISTORY_DAYS = 90;
/** Minimum age of the newest sign-in: the example shows the past, not users who are signing in now. */
const NEWEST_SIGN_IN_MS = 5 * 60 * 1000;
/** Days since the tenants were created, with their administrators. */
export const FOUNDED_DAYS = 400;
/** Index of the users who administer a tenant: two without a common name. */
const ADMINS = [0, 6];
/** Maximum number of sign-ins of a user. Most have fewer: a few use an app daily, many hardly ever. */
const MAX_SIGN_INS = 60;

const BROWSERS = [
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0.0.0 Safari/537.36',
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Safari/605.1.15',
  'Mozilla/5.0 (X11; Linux x86_64; rv:132.0) Gecko/20100101 Firefox/132.0',
];
const PHONES = [
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1',
  'Mozilla/5.0 (Linux; Android 14; Pixel 8) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0.0.0 Mobile Safari/537.36',
];

/** The example users: the same at each call, except for times, which are relative to `now`. */
export function exampleUsers(now: Date): ExampleUser[] {
  const random = new ExampleRandom(SEED);
  const lists = namesByList();
  return EXAMPLE_TENANTS.flatMap((tenant) =>
    tenant.names
      .flatMap((list) => lists[list]!)
      .map((name, place) => userOf(name, { tenant, isAdmin: ADMINS.includes(place), now, random })),
  );
}

type Name = Pick<ExampleUser, 'email' | 'displayName'>;

function namesByList(): Name[][] {
  let number = 0;
  return EXAMPLE_NAMES.map(({ given, family, join }) =>
    given.flatMap(([first, latinFirst]) =>
      family.map(([last, latinLast]) => ({
        email: `${latinFirst}.${latinLast}@mail.example`,
        displayName: UNUSUAL_NAMES.get(number++) ?? join(first, last),
      })),
    ),
  );
}

interface Origin {
  readonly tenant: ExampleTenant;
  readonly isAdmin: boolean;
  readonly now: Date;
  readonly random: ExampleRandom;
}

function userOf({ email, displayName }: Name, origin: Origin): ExampleUser {
  const { tenant, isAdmin, now, random } = origin;
  const ageDays = isAdmin ? FOUNDED_DAYS : random.next() ** 2 * FOUNDED_DAYS + 0.1;
  const isVerified = random.chance(0.9);
  const other = EXAMPLE_TENANTS[(EXAMPLE_TENANTS.indexOf(tenant) + 1) % EXAMPLE_TENANTS.length]!.apps[0]!;
  const apps = tenant.apps.filter((_, place) => place === 0 || random.chance(0.35));
  const joined = random.chance(0.1) ? [...apps, other] : apps;
  const memberships = joined.map((app) => membershipOf(app, ageDays, origin));
  const [office, phone] = [BROWSERS, PHONES].map((programs) => placeIn(tenant, programs, random)) as [
    ExampleDevice,
    ExampleDevice,
  ];
  return {
    email,
    displayName,
    emailVerified: isVerified || isAdmin,
    createdAt: before(now, ageDays),
    office,
    administers: isAdmin ? tenant.slug : null,
    memberships,
    signIns: memberships.flatMap((membership) => signInsOf(membership, [office, phone], origin)).sort(byTime),
  };
}

function placeIn({ network }: ExampleTenant, programs: readonly string[], random: ExampleRandom): ExampleDevice {
  return { ip: `${network}.${1 + random.below(250)}`, userAgent: random.pick(programs) };
}

function membershipOf(app: ExampleApp, ageDays: number, { tenant, isAdmin, now, random }: Origin): ExampleMembership {
  const isPending = !isAdmin && app.policy === 'approval' && random.chance(0.15);
  const isSuspended = !isAdmin && random.chance(0.04);
  const sinceDays = isPending ? Math.min(ageDays, random.next() * 12) : ageDays * (0.3 + 0.7 * random.next());
  const roles = ['user'];
  if (random.chance(0.05)) roles.push('manager');
  if (random.chance(0.03)) roles.push('admin');
  const message = isPending && random.chance(0.8) ? random.pick(tenant.messages) : null;
  return {
    bundleId: app.bundleId,
    roles: isPending ? ['user'] : roles,
    status: isPending ? 'pending' : isSuspended ? 'suspended' : 'active',
    since: before(now, sinceDays),
    message,
  };
}

function signInsOf(
  { bundleId, status, since }: ExampleMembership,
  [office, phone]: readonly [ExampleDevice, ExampleDevice],
  { tenant, now, random }: Origin,
): ExampleSignIn[] {
  if (status === 'pending') return [];
  const count = Math.ceil(random.next() ** 3 * MAX_SIGN_INS);
  const newest = new Date(now.getTime() - NEWEST_SIGN_IN_MS);
  const found: ExampleSignIn[] = [];
  for (let made = 0; made < count; made++) {
    const at = atDaytime(now, random.below(HISTORY_DAYS), tenant, random);
    const outcome = status === 'suspended' ? 'suspended' : random.chance(0.06) ? 'wrong_password' : 'success';
    const method = random.chance(0.6) ? 'magic_link' : 'google';
    const place = random.chance(0.8) ? office : phone;
    const isFree = random.chance(0.6) && [0, 6].includes(at.getUTCDay());
    if (at > since && at <= newest && !isFree) found.push({ bundleId, at, method, outcome, ...place });
  }
  return found;
}

/** Between 6 am and 10 pm in the tenant's time zone, mostly around the middle. */
function atDaytime(now: Date, daysAgo: number, { utcOffsetHours }: ExampleTenant, random: ExampleRandom): Date {
  const midnight = Math.floor(now.getTime() / DAY_MS - daysAgo) * DAY_MS;
  const hour = 6 + 8 * (random.next() + random.next()) - utcOffsetHours;
  return new Date(midnight + Math.round(hour * HOUR_MS));
}

function before(now: Date, days: number): Date {
  return new Date(now.getTime() - Math.round(days * DAY_MS));
}

function byTime(one: ExampleSignIn, other: ExampleSignIn): number {
  return one.at.getTime() - other.at.getTime();
}
