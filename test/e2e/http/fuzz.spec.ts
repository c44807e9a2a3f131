import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import { CredentialFixture } from '../../support/credentials/credential-fixture.js';
import { postponeComparisons } from '../../support/comparisons.js';
import { databaseFingerprint } from '../../support/database-fingerprint.js';
import type { RawAnswer } from '../../support/fuzz/raw-connection.js';
import { type Hit, Shooter, Statuses } from '../../support/fuzz/shooter.js';
import { fuzzTargets, type Target } from '../../support/fuzz/targets.js';
import { logoForm, postLogo } from '../../support/multipart.js';
import { startTestApp, type TestApp } from '../../support/test-app.js';
import { freshDatabase, type TestDatabase } from '../../support/test-database.js';
import { eventually } from '../../support/wait.js';
import { World } from '../../support/world.js';

jest.setTimeout(240_000);

const BROKEN_SHOTS = 8_000;
const READABLE_SHOTS = 2_000;
/** Parallel requests: each lane has its own routes, so that no upload meets another one in progress. */
const LANES = 4;
/** Users, tokens and apps are created again after this many shots, because some shots delete or revoke them. */
const SHOTS_PER_STAGE = 1_000;
/** `FUZZ_SEED=<n>` generates other requests; `FUZZ_SHOT=<n>` sends only that request. */
const SEED = Number(process.env['FUZZ_SEED'] ?? 20_261_122);
const ONLY = process.env['FUZZ_SHOT'] === undefined ? null : Number(process.env['FUZZ_SHOT']);

type Kind = 'broken' | 'readable';

// security 116
describe('Fuzzing of all routes', () => {
  let database: TestDatabase;
  let service: TestApp;
  let world: World;
  let targets: Target[];
  let statuses: Statuses;
  const faults: string[] = [];
  let sentAway = 0;

  beforeAll(async () => {
    database = await freshDatabase();
    service = await startTestApp({
      settings: { databaseUrl: database.url, rateLimits: { enabled: false, overrides: {} } },
    });
    world = await World.open(service.baseUrl, database.url);
    targets = await fuzzTargets(service);
    statuses = new Statuses(service);
  });

  afterAll(async () => {
    await world.close();
    await service.close();
    await database.drop();
  });

  /** @returns the number of answers with each status; 0 means a closed connection without an answer */
  async function shootAll(
    kind: Kind,
    first: number,
    count: number,
    fixture: CredentialFixture,
  ): Promise<Map<number, number>> {
    const seen = new Map<number, number>();
    const shootLane = async (lane: number): Promise<void> => {
      const shooter = new Shooter(SEED, fixture, statuses, service);
      const own = targets.filter((_, index) => index % LANES === lane);
      for (let number = first + lane; number < first + count; number += LANES) {
        if (ONLY !== null && ONLY !== number) continue;
        let hit = await shooter[kind](number, own);
        if (wasSentAway(hit)) {
          sentAway++;
          // At once it would come into the same crowd.
          await sleep(Number(hit.answer!.headers['retry-after']) * 1_000);
          hit = await shooter[kind](number, own);
        }
        const fault = faultOf(hit, kind);
        if (fault) faults.push(`${fault}. ${repeatLine(number)}`);
        const status = hit.answer?.status ?? 0;
        seen.set(status, (seen.get(status) ?? 0) + 1);
      }
      shooter.close();
    };
    await Promise.all(Array.from({ length: LANES }, (_, lane) => shootLane(lane)));
    return seen;
  }

  function repeatLine(number: number): string {
    return `Repeat it: FUZZ_SEED=${SEED} FUZZ_SHOT=${number} npm test -- test/e2e/http/fuzz.spec.ts`;
  }

  function faultOf({ what, answer, status, error }: Hit, kind: Kind): string | null {
    const told = answer?.status ?? 0;
    const where = `${what} → ${told} ${answer?.headers['location'] ?? answer?.body.slice(0, 200) ?? ''}`;
    if (error) return `${error}: ${where}`;
    // Two lanes may send a picture for one app at the same time, which is limited.
    if (told === 503 && answer?.body.includes('"Too many uploads at once"')) return null;
    if (told >= 500 || (status ?? 0) >= 500) return `A 5xx (${status}): ${where}`;
    if (kind === 'broken' && answer && (told < 400 || told > 499) && !asksToSignIn(answer))
      return `Not refused: ${where}`;
    if (answer && told >= 400 && !isRefusal(answer)) return `A refusal of another shape: ${where}`;
    return null;
  }

  afterEach(() => {
    const found = faults.splice(0);
    expect(found.slice(0, 20)).toEqual([]);
    expect(sentAway).toBeLessThan((BROKEN_SHOTS + READABLE_SHOTS) / 100);
  });

  // The state is asked for: one of its checks may be late by its second.
  const expectAlive = () =>
    eventually('it is ready', async () => (await fetch(`${service.baseUrl}/health/ready`)).status === 200);

  /** No upload has kept its place. */
  const expectFreeUploads = async () => {
    const app = await world.app(await world.tenant());
    const upload = () => postLogo(service.baseUrl, app.id, world.admin.token, logoForm(Buffer.from('no picture')));
    // The service may not have noticed yet that the last senders are gone.
    await eventually('both are read', async () => {
      const answers = await Promise.all([upload(), upload()]);
      return answers.every(({ status }) => status === 400);
    });
  };

  it(`returns 4xx to ${BROKEN_SHOTS} requests with unreadable bodies and writes nothing to the database`, async () => {
    const fixture = await CredentialFixture.build(world, service);
    for (const kind of ['setup_token', 'console session', 'SSO session'] as const) await fixture.present(kind);
    await postponeComparisons(world);
    const before = await databaseFingerprint(world, ['console_sessions']);
    const seen = await shootAll('broken', 0, BROKEN_SHOTS, fixture);
    expect(await databaseFingerprint(world, ['console_sessions'])).toEqual(before);
    await expectAlive();
    await expectFreeUploads();
    // Every kind of refusal occurred, and most requests got an answer.
    if (ONLY !== null) return;
    for (const status of [400, 413, 415, 422, 431])
      expect([status, (seen.get(status) ?? 0) > 20]).toEqual([status, true]);
    expect(seen.get(0) ?? 0).toBeLessThan(BROKEN_SHOTS / 8);
  });

  it(`returns no 5xx to ${READABLE_SHOTS} requests with random content`, async () => {
    const all = new Map<number, number>();
    for (let first = BROKEN_SHOTS; first < BROKEN_SHOTS + READABLE_SHOTS; first += SHOTS_PER_STAGE) {
      await world.signInAgain();
      const seen = await shootAll('readable', first, SHOTS_PER_STAGE, await CredentialFixture.build(world, service));
      for (const [status, count] of seen) all.set(status, (all.get(status) ?? 0) + count);
    }
    await expectAlive();
    // The requests reached the handlers: there are successes, refused bodies and refused users.
    if (ONLY !== null) return;
    for (const status of [200, 303, 400, 401, 403, 404, 422])
      expect([status, (all.get(status) ?? 0) > 20]).toEqual([status, true]);
    expect(all.get(0) ?? 0).toBe(0);
  });
});

/**
 * For now, on a busy machine: 2 s without a connection or behind a lock of another lane, or too many hashes wait. What a
 * request has in it does not matter to that, so sent again it gets another answer, or it is at fault.
 */
function wasSentAway({ answer }: Hit): boolean {
  if (answer?.status !== 503 || answer.headers['retry-after'] === undefined) return false;
  // A page does not say which it was; too many uploads are over when it is sent again.
  return isPage(answer.headers) || /"(Service Unavailable|Too many sign-ins at once)"/.test(answer.body);
}

/** A page that requires a sign-in ignores the request of an anonymous sender and redirects. */
function asksToSignIn({ status, headers }: RawAnswer): boolean {
  return (status === 302 || status === 303) && /^\/(console\/login|account\/sign-in)/.test(headers['location'] ?? '');
}

function isPage(headers: RawAnswer['headers']): boolean {
  return headers['content-type']?.startsWith('text/html') ?? false;
}

/** JSON with `detail`, or a page. */
function isRefusal({ headers, body }: RawAnswer): boolean {
  if (isPage(headers)) return body.startsWith('<!');
  if (!headers['content-type']?.startsWith('application/json')) return false;
  const { detail } = JSON.parse(body) as { detail?: unknown };
  if (!Array.isArray(detail)) return detail !== undefined;
  return detail.length > 0 && detail.every((fault) => 'loc' in fault && 'msg' in fault && 'type' in fault);
}
