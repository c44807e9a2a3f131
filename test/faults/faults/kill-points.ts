import { AuthzFixture } from '../../support/authz-fixture.js';
import { freePort } from '../../support/free-port.js';
import { type ProcessEnvironment, startProcess } from '../../support/service-process.js';
import { freshDatabase } from '../../support/test-database.js';
import { World } from '../../support/world.js';
import type { Outcome } from '../fault.js';
import { seconds } from '../report.js';
import { change, snapshot } from '../snapshot.js';
import { Victim } from '../victim.js';
import type { Moment } from '../wire-proxy.js';
import { type Preparation, send } from '../requests/write-request.js';

/** Work that a request leaves for after its answer takes this long at most. */
const AFTERWARDS_MS = 150;
/** Each kill takes the start of a process. What is left then is named, so that what was found is told. */
const MAX_MS = 12 * 60_000;
const ENV = { RATE_LIMITS: 'off', LOG_LEVEL: 'error' };

/** What a kill between two commits of a request may leave, because it is whole in itself. */
const STEPS: Readonly<Record<string, readonly string[]>> = {
  // The try is counted.
  'POST /auth/totp/verify': ['totp_challenges+1-1'],
  'POST /auth/totp/verify, backup code': ['totp_challenges+1-1'],
  // What works once is spent before anything is done with it: the user begins again.
  'POST /account/passkeys': ['passkey_challenges-1'],
  'POST /sign-in, passkey': ['passkey_challenges-1'],
  'POST /auth/passkey/registration': ['passkey_challenges-1'],
  // A use counts, for the detection of copies, whether or not a sign-in comes of it.
  'POST /auth/passkey': ['passkey_challenges-1', 'passkey_challenges-1 passkeys+1-1'],
  // The same for all passkeys of a user.
  'POST /auth/passkey/registration/options': ['passkey_handles+1'],
  'GET /oauth/google/callback, new account': ['provider_states-1'],
  'GET /oauth/google/callback, account with this address': ['provider_states-1'],
  'GET /oauth/google/callback, link': ['provider_states-1'],
  // The sign-in is kept, and goes on when its page is opened again.
  'GET /login, with an SSO session': ['sign_in_attempts+1'],
  'GET /oauth/google/start': ['sign_in_attempts+1'],
  // The poll is written down before its tokens are made.
  'POST /auth/token, device_code': ['device_authorizations+1-1'],
  // The address stands in the form.
  'POST /sign-in, forgot': ['sign_in_attempts+1-1'],
  // As without an answer after the end: the link is used up, and the user asks for another one.
  'GET /auth/magic-link/verify': [
    'sign_in_attempts+1',
    'known_browsers+1 mail_links+1-1 sign_in_attempts+1 sso_sessions+1',
  ],
};
/** What the next page of the console says about the act before it. */
const SAID_AFTERWARDS = ' console_sessions+1-1';

/** Requests that are refused on purpose. All others must succeed. */
const REFUSED = ['POST /auth/login, wrong password', 'POST /token/refresh, replayed'];

export interface KillOptions {
  readonly requests: Readonly<Record<string, Preparation>>;
  /** Processes to kill in turn: while one starts again, another is killed. */
  readonly victims?: number;
  /** Of all processes. */
  readonly env?: ProcessEnvironment;
  /** That a request which commits nothing has missed its point. */
  readonly mustWrite?: boolean;
}

/** Kills the process that answers, once before and once after each commit of every request. */
export async function killPoints({
  requests,
  victims = 2,
  env = {},
  mustWrite = false,
}: KillOptions): Promise<Outcome> {
  const database = await freshDatabase();
  const port = String(await freePort());
  // Passkeys need a name for the host.
  const all = { ...ENV, ...env, DATABASE_URL: database.url, BASE_URL: `http://localhost:${port}` };
  const calm = await startProcess('dist/main.js', { ...all, PORT: port });
  const killed = await Promise.all(Array.from({ length: victims }, () => Victim.start(database.url, all)));
  const world = await World.open(calm.baseUrl, database.url);
  try {
    const run = new KillPoints(world, await AuthzFixture.build(world), killed, mustWrite);
    const endsAt = performance.now() + MAX_MS;
    for (const [name, prepare] of Object.entries(requests)) {
      if (performance.now() < endsAt) await run.strike(name, prepare);
      else run.leaveOut(name);
    }
    return await run.outcome();
  } finally {
    await world.close();
    await Promise.all([calm.kill('SIGKILL'), ...killed.map((victim) => victim.stop())]);
    await database.drop();
  }
}

class KillPoints {
  private readonly broken: string[] = [];
  private requests = 0;
  private kills = 0;
  private turn = 0;
  private reviving = new Map<Victim, Promise<void>>();

  constructor(
    private readonly world: World,
    private readonly fixture: AuthzFixture,
    private readonly victims: readonly Victim[],
    private readonly mustWrite: boolean,
  ) {}

  async strike(name: string, prepare: Preparation): Promise<void> {
    const { commits, whole } = await this.undisturbed(name, prepare);
    if (this.mustWrite && whole === '') this.broken.push(`${name}: nothing was written without a fault`);
    if (commits === 0) return;
    this.requests++;
    for (let number = 1; number <= commits; number++) {
      for (const moment of ['before', 'after'] as const)
        await this.kill(name, prepare, { moment, number, commits, whole });
    }
  }

  leaveOut(name: string): void {
    this.broken.push(`${name}: no time left`);
  }

  async outcome(): Promise<Outcome> {
    await Promise.all(this.reviving.values());
    const starts = this.victims.flatMap((victim) => victim.starts.slice(1));
    const figures =
      `${this.requests} kinds of request, ${this.kills} kills at a commit, ` +
      `${this.broken.length} not whole; ready again after ${seconds(starts)}`;
    return { figures, broken: this.broken };
  }

  /** How often the request commits, and what it changes. */
  private async undisturbed(name: string, prepare: Preparation): Promise<{ commits: number; whole: string }> {
    const victim = await this.next();
    const request = await prepare(this.fixture);
    const before = await snapshot(this.world);
    victim.proxy.recount();
    const status = await send(victim.url, request);
    await afterwards();
    const whole = change(before, await snapshot(this.world));
    const commits = victim.proxy.commits.length;
    const isRight = status !== null && status < 400 !== REFUSED.includes(name);
    if (!isRight) this.broken.push(`${name}: ${status ?? 'no answer'} without a fault`);
    if (isRight && commits === 0 && whole !== '')
      this.broken.push(`${name}: no commit was seen, but this changed: ${whole}`);
    return { commits, whole };
  }

  private async kill(
    name: string,
    prepare: Preparation,
    at: { moment: Moment; number: number; commits: number; whole: string },
  ): Promise<void> {
    const victim = await this.next();
    const request = await prepare(this.fixture);
    const before = await snapshot(this.world);
    let isStruck = false;
    victim.proxy.arm(at.moment, at.number, () => {
      isStruck = true;
      victim.kill();
    });
    const status = await send(victim.url, request);
    await (isStruck ? victim.died : afterwards());
    const found = change(before, await snapshot(this.world));
    const point = `${name}, killed ${at.moment} commit ${at.number} of ${at.commits}`;
    if (isStruck) this.kills++;
    else this.broken.push(`${point}: the commit did not come (${status})`);
    victim.proxy.disarm();
    const fault = faultOf(found, status, at);
    if (fault && !stepsOf(name, at.whole).includes(found)) this.broken.push(`${point}: ${fault}`);
    if (isStruck) this.revive(victim);
  }

  private revive(victim: Victim): void {
    const reviving = victim.revive();
    reviving.catch(() => undefined); // the next user of it gets the error
    this.reviving.set(victim, reviving);
  }

  /** The next one that is ready; the other one starts again meanwhile. */
  private async next(): Promise<Victim> {
    const victim = this.victims[this.turn++ % this.victims.length]!;
    await this.reviving.get(victim);
    this.reviving.delete(victim);
    return victim;
  }
}

/** What may be found beside nothing and everything. */
function stepsOf(name: string, whole: string): readonly string[] {
  const withoutMessage = whole.replace(SAID_AFTERWARDS, '');
  return [...(STEPS[name] ?? []), ...(name.startsWith('console: ') && withoutMessage ? [withoutMessage] : [])];
}

/** Before the first commit nothing is there, after the last one everything; an answer means everything. */
function faultOf(
  found: string,
  status: number | null,
  { moment, number, commits, whole }: { moment: Moment; number: number; commits: number; whole: string },
): string | null {
  const isAnswered = status !== null && status < 400;
  if (isAnswered && found !== whole) return `answered ${status}, but this changed: ${found || 'nothing'}, not ${whole}`;
  const expected =
    moment === 'before' && number === 1 ? [''] : moment === 'after' && number === commits ? [whole] : ['', whole];
  return isAnswered || expected.includes(found)
    ? null
    : `this changed: ${found || 'nothing'}, not ${expected.join(' or ') || 'nothing'}`;
}

function afterwards(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, AFTERWARDS_MS));
}
