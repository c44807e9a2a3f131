import type { EnrollmentStatus } from '../../../enrollment/enrollment.entity.js';
import { EXAMPLE_NAMES, UNUSUAL_NAMES } from './example-names.js';
import { ExampleRandom } from './example-random.js';
import { EXAMPLE_TENANTS, type ExampleApp } from './example-tenants.js';

export interface ExampleMembership {
  readonly bundleId: string;
  readonly roles: readonly string[];
  readonly status: EnrollmentStatus;
  readonly since: Date;
  /** Of a request for access that waits. */
  readonly message: string | null;
}

export interface ExampleSignIn {
  readonly bundleId: string;
  readonly at: Date;
  readonly method: 'google' | 'magic_link';
  readonly outcome: 'success' | 'wrong_password' | 'suspended';
  readonly ip: string;
  readonly userAgent: string;
}

export interface ExamplePerson {
  readonly email: string;
  readonly displayName: string;
  readonly emailVerified: boolean;
  readonly createdAt: Date;
  /** Slug of the tenant that they administer. */
  readonly administers: string | null;
  readonly memberships: readonly ExampleMembership[];
  /** Of the last 90 days, oldest first. */
  readonly signIns: readonly ExampleSignIn[];
}

const SEED = 20_261_101;
const DAY_MS = 24 * 3600 * 1000;
const HISTORY_DAYS = 90;
const OLDEST_ACCOUNT_DAYS = 400;
/** Above the number of sign-ins that most people have: a few use an app daily, many hardly ever. */
const MOST_SIGN_INS = 60;

const MESSAGES = [
  'I work with Priya in the Lisbon office and need to see our invoices.',
  'Guten Tag, ich vertrete ab Montag Herrn Größl und brauche bitte Zugang. Vielen Dank!',
  'お世話になっております。四月から内科に配属されました。アクセス権の付与をお願いいたします。',
  'Bonjour, je suis stagiaire à l’atelier jusqu’en août.',
  'أحتاج إلى الوصول لمتابعة طلبات القسم.',
  'New here.',
  'Здравствуйте! Мне нужен доступ к отчётам за прошлый квартал.',
  'We spoke on the phone yesterday. You said that I should ask here, and that it would take a day at most. I look after the contracts of the harbour hotels, and without access I cannot confirm the rooms for the groups that arrive next week. If anything is missing, please write to me rather than to my colleague, because she is away until the end of the month. My manager knows about this request and will confirm it if you ask. Thank you for your help, and sorry for the long text!',
];

const BROWSERS = [
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0.0.0 Safari/537.36',
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Safari/605.1.15',
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1',
  'Mozilla/5.0 (X11; Linux x86_64; rv:132.0) Gecko/20100101 Firefox/132.0',
  'Mozilla/5.0 (Linux; Android 14; Pixel 8) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0.0.0 Mobile Safari/537.36',
];

/** Networks for documentation (RFC 5737). */
const NETWORKS = ['192.0.2', '198.51.100', '203.0.113'];

/** The people of the example: the same at each call, but for times, which count back from `now`. */
export function examplePeople(now: Date): ExamplePerson[] {
  const random = new ExampleRandom(SEED);
  return names().map((name, index) => personOf(name, index, now, random));
}

function names(): { email: string; displayName: string }[] {
  const all = EXAMPLE_NAMES.flatMap(({ given, family, join }) =>
    given.flatMap(([first, latinFirst]) =>
      family.map(([last, latinLast]) => ({
        email: `${latinFirst}.${latinLast}@mail.example`,
        displayName: join(first, last),
      })),
    ),
  );
  return all.map((name, index) => ({ ...name, displayName: UNUSUAL_NAMES.get(index) ?? name.displayName }));
}

function personOf(
  { email, displayName }: { email: string; displayName: string },
  index: number,
  now: Date,
  random: ExampleRandom,
): ExamplePerson {
  const tenant = EXAMPLE_TENANTS[index % EXAMPLE_TENANTS.length]!;
  const ageDays = random.next() ** 2 * OLDEST_ACCOUNT_DAYS + 0.1;
  const createdAt = before(now, ageDays);
  const emailVerified = random.chance(0.9);
  const elsewhere = EXAMPLE_TENANTS[(index + 1) % EXAMPLE_TENANTS.length]!.apps[0]!;
  const apps = [...tenant.apps.filter((_, place) => place === 0 || random.chance(0.35)), elsewhere];
  const joined = random.chance(0.1) ? apps : apps.slice(0, -1);
  const memberships = joined.map((app) => membershipOf(app, ageDays, now, random));
  const isAdmin = index < 2 * EXAMPLE_TENANTS.length;
  return {
    email,
    displayName,
    emailVerified: emailVerified || isAdmin,
    createdAt,
    administers: isAdmin ? tenant.slug : null,
    memberships,
    signIns: memberships.flatMap((membership) => signInsOf(membership, now, random)).sort(byTime),
  };
}

function membershipOf(app: ExampleApp, ageDays: number, now: Date, random: ExampleRandom): ExampleMembership {
  const isPending = app.policy === 'approval' && random.chance(0.15);
  const isSuspended = random.chance(0.04);
  const sinceDays = isPending ? Math.min(ageDays, random.next() * 12) : ageDays * (0.3 + 0.7 * random.next());
  const roles = ['user'];
  if (random.chance(0.05)) roles.push('manager');
  if (random.chance(0.03)) roles.push('admin');
  const message = isPending && random.chance(0.8) ? random.pick(MESSAGES) : null;
  return {
    bundleId: app.bundleId,
    roles: isPending ? ['user'] : roles,
    status: isPending ? 'pending' : isSuspended ? 'suspended' : 'active',
    since: before(now, sinceDays),
    message,
  };
}

function signInsOf({ bundleId, status, since }: ExampleMembership, now: Date, random: ExampleRandom): ExampleSignIn[] {
  if (status === 'pending') return [];
  const place = { ip: `${random.pick(NETWORKS)}.${1 + random.below(250)}`, userAgent: random.pick(BROWSERS) };
  const count = Math.ceil(random.next() ** 3 * MOST_SIGN_INS);
  const found: ExampleSignIn[] = [];
  for (let made = 0; made < count; made++) {
    const at = before(now, random.next() * HISTORY_DAYS);
    const outcome = status === 'suspended' ? 'suspended' : random.chance(0.06) ? 'wrong_password' : 'success';
    const method = random.chance(0.6) ? 'magic_link' : 'google';
    if (at > since) found.push({ bundleId, at, method, outcome, ...place });
  }
  return found;
}

function before(now: Date, days: number): Date {
  return new Date(now.getTime() - Math.round(days * DAY_MS));
}

function byTime(one: ExampleSignIn, other: ExampleSignIn): number {
  return one.at.getTime() - other.at.getTime();
}
