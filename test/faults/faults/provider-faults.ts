import { setTimeout as sleep } from 'node:timers/promises';
import { HostedBrowser } from '../../support/hosted-page.js';
import { follow, startPath } from '../../support/provider-sign-in.js';
import { type TestClient, unique } from '../../support/world.js';
import { CrowdedProvider, type ProviderMood } from '../crowded-provider.js';
import type { Outcome } from '../fault.js';
import { seconds } from '../report.js';
import { type Scene, underLoad } from '../under-load.js';

const MOODS: readonly ProviderMood[] = ['slow', 'failing', 'garbage', 'cut after accept', 'hanging'];
const USERS_AT_ONCE = 3;
/** A call to a provider is given up after ten seconds. */
const MAX_ERROR_MS = 12_000;
/** Of requests that have nothing to do with the provider. */
const MAX_OTHERS_MS = 5_000;
const BETWEEN_MS = 100;
/** Keys are asked for once a minute at most; providers publish new ones long before they use them. */
const KEYS_AGAIN_MS = 62_000;
/** Web processes, each with keys of its own. */
const PROCESSES = 2;

interface Trip {
  readonly email: string;
  readonly mood: ProviderMood;
  readonly end: 'signed in' | 'provider_error' | string;
  readonly ms: number;
}

/**
 * F9: an external provider is slow, fails, answers garbage, hangs up after it has taken the code, hangs, and rotates its
 * keys. A user who was not signed in has no account, a state is used once, and other sign-ins go on.
 */
export async function providerFails(milliseconds: number): Promise<Outcome> {
  const provider = await CrowdedProvider.start();
  try {
    return await underLoad({ env: provider.environment, clients: 3 }, (scene) => run(scene, provider, milliseconds));
  } finally {
    await provider.close();
  }
}

async function run(scene: Scene, provider: CrowdedProvider, milliseconds: number) {
  const { world, load } = scene;
  const app = await world.app(await world.tenant(), {
    registration_policy: 'open',
    config: { allowed_providers: ['password', 'google'] },
  });
  const travelers = new Travelers(scene, provider, app);
  travelers.begin();
  const begun = performance.now();
  await sleep(milliseconds);
  load.takeSlowest();
  for (const mood of MOODS) {
    provider.mood = mood;
    await sleep(mood === 'hanging' ? Math.max(milliseconds, MAX_ERROR_MS) : milliseconds);
  }
  provider.mood = 'well';
  await sleep(KEYS_AGAIN_MS - (performance.now() - begun));
  const before = provider.keyRequests;
  await provider.rotateKeys();
  const rotated = travelers.trips.length;
  await sleep(milliseconds);
  await travelers.end();
  const { trips, broken } = travelers;
  const keyRequests = provider.keyRequests - before;
  if (!trips.slice(rotated).some(({ end }) => end === 'signed in')) broken.push('nobody got in with the new keys');
  if (keyRequests > PROCESSES) broken.push(`the keys were asked for ${keyRequests} times after a rotation`);
  broken.push(...(await travelers.accounts()));
  const slowest = load.takeSlowest();
  if (load.failed > 0) broken.push(`${load.failed} requests beside the provider failed`);
  if (slowest.ms > MAX_OTHERS_MS) broken.push(`a request beside the provider was slow: ${slowest.request}`);
  const failed = trips.filter(({ end }) => end === 'provider_error');
  return {
    figures:
      `${MOODS.join(', ')} and keys rotated, ${milliseconds / 1_000} s each: ${trips.length - failed.length} signed in, ` +
      `${failed.length} told so after ${seconds(failed.map(({ ms }) => ms))}; ` +
      `keys fetched ${keyRequests} times by ${PROCESSES} processes, slowest other request ${seconds([slowest.ms])}`,
    broken,
  };
}

/** Users who sign in with the provider, each one after the other. */
class Travelers {
  readonly trips: Trip[] = [];
  readonly broken: string[] = [];
  private isOver = false;
  private loops: Promise<void>[] = [];

  constructor(
    private readonly scene: Scene,
    private readonly provider: CrowdedProvider,
    private readonly app: TestClient,
  ) {}

  begin(): void {
    this.loops = Array.from({ length: USERS_AT_ONCE }, () => this.loop());
  }

  async end(): Promise<void> {
    this.isOver = true;
    await Promise.all(this.loops);
  }

  /** A user who is signed in has one account, all others have none. */
  async accounts(): Promise<string[]> {
    const rows = await this.scene.world.sql<{ email: string; links: number }>(
      `SELECT u.email, count(l.id)::int AS links FROM users u LEFT JOIN linked_accounts l ON l.user_id = u.id
       WHERE u.email LIKE 'traveler-%' GROUP BY u.email`,
    );
    const links = new Map(rows.map((row) => [row.email, row.links]));
    return this.trips.flatMap(({ email, end }) => {
      const found = links.get(email) ?? 0;
      if (end === 'signed in') return found === 1 ? [] : [`lost: the account of ${email} (${found} links)`];
      return links.has(email) ? [`half done: an account of ${email}, who was told ${end}`] : [];
    });
  }

  private async loop(): Promise<void> {
    while (!this.isOver) {
      const { mood } = this.provider;
      const email = `traveler-${unique()}@example.com`;
      const begun = performance.now();
      const end = await this.signInAtProvider(email).catch((error: Error) => error.message);
      const trip = { email, mood, end, ms: performance.now() - begun };
      this.trips.push(trip);
      this.judge(trip);
      await sleep(BETWEEN_MS);
    }
  }

  private judge({ mood, end, ms }: Trip): void {
    if (end !== 'signed in' && end !== 'provider_error') this.broken.push(`${mood}: ${end}`);
    // The provider's behavior may change during a sign-in.
    if (end === 'provider_error' && ms > MAX_ERROR_MS) this.broken.push(`${mood}: told so after ${Math.round(ms)} ms`);
  }

  private async signInAtProvider(email: string): Promise<string> {
    const { service, journal, world } = this.scene;
    const browser = new HostedBrowser(service.url);
    const { location } = await browser.get(startPath('google', this.app, { state: 'mine' }));
    const sent = new URL(location!).searchParams;
    const code = this.provider.codeOf({ sub: `sub-${email}`, email, nonce: sent.get('nonce')! });
    const callback = `/oauth/google/callback?code=${code}&state=${sent.get('state')}`;
    const answer = await follow(browser, await browser.get(callback));
    const again = await browser.get(callback);
    if (again.status !== 400) return `the state was used twice (${again.status})`;
    const error = answer.delivered.get('error');
    if (error) return error;
    const exchange = { code: answer.delivered.get('code'), app_id: this.app.id };
    const { status, body } = await world.call<{ refresh_token: string }>('POST', '/token/exchange', exchange);
    if (status !== 200) return `the code was refused with ${status}`;
    journal.write({ kind: 'token', token: body.refresh_token });
    return 'signed in';
  }
}
