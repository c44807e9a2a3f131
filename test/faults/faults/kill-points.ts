import { AuthzStage } from '../../support/authz-stage.js';
import { MULTIPART_TYPE } from '../../support/multipart.js';
import { startProcess } from '../../support/service-process.js';
import { freshDatabase } from '../../support/test-database.js';
import { World } from '../../support/world.js';
import type { Outcome } from '../fault.js';
import { seconds } from '../report.js';
import { change, snapshot } from '../snapshot.js';
import { Victim } from '../victim.js';
import type { Moment } from '../wire-proxy.js';
import { type Preparation, type WriteRequest, writeRequests } from '../write-requests.js';

/** Work that a request leaves for after its answer takes this long at most. */
const AFTERWARDS_MS = 150;
const ENV = { RATE_LIMITS: 'off', LOG_LEVEL: 'error' };

/** A few of each kind, for `npm test`. */
const QUICK = ['POST /auth/login', 'POST /token/refresh', 'POST /admin/users'];

/** What a kill between two commits of a request may leave, because it is whole in itself: tries that are counted. */
const STEPS: Readonly<Record<string, string>> = {
  'POST /auth/totp/verify': 'totp_challenges+1-1',
  'POST /auth/totp/verify, backup code': 'totp_challenges+1-1',
};

/** Requests that are refused on purpose. All others must succeed. */
const REFUSED = ['POST /auth/login, wrong password', 'POST /token/refresh, replayed'];

/** Kills the process that answers, once before and once after each commit of every request that writes. */
export async function killPoints(isQuick: boolean, part = ''): Promise<Outcome> {
  const database = await freshDatabase();
  const calm = await startProcess('dist/main.js', { ...ENV, DATABASE_URL: database.url });
  const env = { ...ENV, BASE_URL: calm.baseUrl };
  const victims = await Promise.all(Array.from({ length: isQuick ? 1 : 2 }, () => Victim.start(database.url, env)));
  const world = await World.open(calm.baseUrl, database.url);
  try {
    const run = new KillPoints(world, await AuthzStage.build(world), victims);
    const requests = writeRequests();
    const names = isQuick ? QUICK : Object.keys(requests).filter((name) => name.includes(part));
    for (const name of names) await run.strike(name, requests[name]!);
    return await run.outcome();
  } finally {
    await world.close();
    await Promise.all([calm.kill('SIGKILL'), ...victims.map((victim) => victim.stop())]);
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
    private readonly stage: AuthzStage,
    private readonly victims: readonly Victim[],
  ) {}

  async strike(name: string, prepare: Preparation): Promise<void> {
    const { commits, whole } = await this.undisturbed(name, prepare);
    if (commits === 0) return;
    this.requests++;
    for (let number = 1; number <= commits; number++) {
      for (const moment of ['before', 'after'] as const)
        await this.kill(name, prepare, { moment, number, commits, whole });
    }
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
    const request = await prepare(this.stage);
    const before = await snapshot(this.world);
    victim.proxy.recount();
    const status = await send(victim, request);
    await afterwards();
    const whole = change(before, await snapshot(this.world));
    const commits = victim.proxy.commits.length;
    const isRight = status !== null && status < 300 !== REFUSED.includes(name);
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
    const request = await prepare(this.stage);
    const before = await snapshot(this.world);
    let isStruck = false;
    victim.proxy.arm(at.moment, at.number, () => {
      isStruck = true;
      victim.kill();
    });
    const status = await send(victim, request);
    await (isStruck ? victim.died : afterwards());
    const found = change(before, await snapshot(this.world));
    const point = `${name}, killed ${at.moment} commit ${at.number} of ${at.commits}`;
    if (isStruck) this.kills++;
    else this.broken.push(`${point}: the commit did not come (${status})`);
    victim.proxy.disarm();
    const fault = faultOf(found, status, at);
    if (fault && (found === '' || found !== STEPS[name])) this.broken.push(`${point}: ${fault}`);
    if (isStruck) this.reviving.set(victim, victim.revive());
  }

  /** The next one that is ready; the other one starts again meanwhile. */
  private async next(): Promise<Victim> {
    const victim = this.victims[this.turn++ % this.victims.length]!;
    await this.reviving.get(victim);
    this.reviving.delete(victim);
    return victim;
  }
}

/** Before the first commit nothing is there, after the last one everything; an answer means everything. */
function faultOf(
  found: string,
  status: number | null,
  { moment, number, commits, whole }: { moment: Moment; number: number; commits: number; whole: string },
): string | null {
  const isAnswered = status !== null && status < 300;
  if (isAnswered && found !== whole) return `answered ${status}, but this changed: ${found || 'nothing'}, not ${whole}`;
  const expected =
    moment === 'before' && number === 1 ? [''] : moment === 'after' && number === commits ? [whole] : ['', whole];
  return isAnswered || expected.includes(found)
    ? null
    : `this changed: ${found || 'nothing'}, not ${expected.join(' or ') || 'nothing'}`;
}

/** @returns the status, or null where the connection broke */
async function send(
  victim: Victim,
  { method, path, body, upload, token, headers }: WriteRequest,
): Promise<number | null> {
  try {
    const answer = await fetch(victim.url + path, {
      method,
      redirect: 'manual',
      headers: {
        Connection: 'close',
        ...(upload
          ? { 'Content-Type': MULTIPART_TYPE }
          : body === undefined
            ? {}
            : { 'Content-Type': 'application/json' }),
        ...(token ? { Authorization: `Bearer ${token}` } : {}),
        ...headers,
      },
      body: upload ? new Uint8Array(upload) : body === undefined ? undefined : JSON.stringify(body),
    });
    await answer.text();
    return answer.status;
  } catch {
    return null;
  }
}

function afterwards(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, AFTERWARDS_MS));
}
