import { setTimeout as sleep } from 'node:timers/promises';
import type { TestUser, TestClient, TestTenant, World } from '../support/world.js';
import { unique } from '../support/world.js';
import type { Journal } from './journal.js';

/** Between the requests of one client. */
const PAUSE_MS = 10;
const ANSWER_MS = 20_000;

interface Reply {
  readonly status: number;
  readonly body: Record<string, unknown>;
}

export interface Slowest {
  readonly ms: number;
  /** What was asked and the answer. */
  readonly request: string;
}

/** What clients got, by status; `no answer` where the connection broke or nothing came in time. */
export type Statuses = ReadonlyMap<number | 'no answer', number>;

/** Failures that are kept with what they said. */
const MAX_FAILURES = 5;

/** Clients that sign in, refresh, revoke, make users, rename tenants and ask for mails, each one request after the other. */
export class Load {
  private readonly seen = new Map<number | 'no answer', number>();
  private slowest: Slowest = { ms: 0, request: 'none' };
  private isOver = false;
  private clients: Promise<void>[] = [];

  private constructor(
    private readonly url: string,
    private readonly world: World,
    private readonly app: TestClient,
    private readonly journal: Journal,
  ) {}

  /** @param url of the balancer; the world's own address must answer while it is set up */
  static async begin(url: string, world: World, journal: Journal, clients = 6): Promise<Load> {
    const app = await world.app(await world.tenant());
    const users = await Promise.all(Array.from({ length: clients }, () => world.user(app)));
    const load = new Load(url, world, app, journal);
    const tenants = await Promise.all(users.map(() => world.tenant()));
    load.clients = users.map((user, index) => load.client(user, tenants[index]!, index));
    return load;
  }

  /** Answers and failures so far. */
  get statuses(): Statuses {
    return this.seen;
  }

  /** The slowest answer since this was last asked. */
  takeSlowest(): Slowest {
    const taken = this.slowest;
    this.slowest = { ms: 0, request: 'none' };
    return taken;
  }

  /** The first of those that were answered otherwise than by 2xx: what was asked, the answer, and after how long. */
  readonly failures: string[] = [];

  /** How many requests were answered otherwise than by 2xx, of all. */
  get failed(): number {
    return [...this.seen].reduce((sum, [status, count]) => (isGood(status) ? sum : sum + count), 0);
  }

  get total(): number {
    return [...this.seen.values()].reduce((sum, count) => sum + count, 0);
  }

  async end(): Promise<void> {
    this.isOver = true;
    await Promise.all(this.clients);
  }

  private async client(user: TestUser, tenant: TestTenant, index: number): Promise<void> {
    let token: string | null = null;
    for (let turn = index; !this.isOver; turn++) {
      if (turn % 12 === 0) await this.createUser();
      else if (turn % 12 === 4) await this.rename(tenant);
      else if (turn % 12 === 8) await this.askForMail();
      else if (turn % 12 === 11 && token) token = await this.revoke(token);
      else token = token ? await this.refresh(token) : await this.signIn(user);
      await sleep(PAUSE_MS);
    }
  }

  private async signIn({ email, password }: TestUser): Promise<string | null> {
    return this.keepToken(await this.ask('POST', '/auth/login', { email, password, app_id: this.app.id }));
  }

  /** After no answer the token may be spent: the client signs in again, as real ones do. */
  private async refresh(parent: string): Promise<string | null> {
    return this.keepToken(
      await this.ask('POST', '/token/refresh', { refresh_token: parent, app_id: this.app.id }),
      parent,
    );
  }

  private keepToken(reply: Reply | null, parent?: string): string | null {
    if (reply?.status !== 200) return null;
    const token = reply.body['refresh_token'] as string;
    this.journal.write({ kind: 'token', token, ...(parent && { parent }) });
    return token;
  }

  private async revoke(token: string): Promise<null> {
    const reply = await this.ask('POST', '/token/revoke', { refresh_token: token });
    if (reply?.status === 200) this.journal.write({ kind: 'revoked', token });
    return null;
  }

  private async createUser(): Promise<void> {
    const body = { email: `load-${unique()}@example.com`, display_name: 'Load', app_id: this.app.id };
    const reply = await this.ask('POST', '/admin/users', body, this.world.admin.token);
    if (reply?.status === 201 || reply?.status === 200)
      this.journal.write({ kind: 'user', id: reply.body['id'] as string });
  }

  private async rename({ id }: TestTenant): Promise<void> {
    const name = `Name ${unique()}`;
    const reply = await this.ask('PATCH', `/admin/tenants/${id}`, { name }, this.world.admin.token);
    if (reply?.status === 200) this.journal.write({ kind: 'name', id, name });
  }

  /** Each for its own user, because a second link soon after the first is not mailed. */
  private async askForMail(): Promise<void> {
    const email = `mail-${unique()}@example.com`;
    const body = { email, display_name: 'Mail', app_id: this.app.id };
    const made = await this.ask('POST', '/admin/users', body, this.world.admin.token);
    if (!made || made.status >= 300) return;
    const asked = await this.ask('POST', '/auth/forgot-password', { email, app_id: this.app.id });
    if (asked?.status === 200) this.journal.write({ kind: 'mail', address: email });
  }

  private async ask(method: string, path: string, body: unknown, token?: string): Promise<Reply | null> {
    const begun = performance.now();
    const reply = await this.send(method, path, body, token).catch(() => null);
    const tookMs = Math.round(performance.now() - begun);
    const status = reply?.status ?? 'no answer';
    this.seen.set(status, (this.seen.get(status) ?? 0) + 1);
    const told = `${method} ${path}: ${status} ${JSON.stringify(reply?.body ?? null)} after ${tookMs} ms`;
    if (tookMs > this.slowest.ms) this.slowest = { ms: tookMs, request: told };
    if (!isGood(status) && this.failures.length < MAX_FAILURES) this.failures.push(told);
    return reply;
  }

  private async send(method: string, path: string, body: unknown, token?: string): Promise<Reply> {
    const answer = await fetch(this.url + path, {
      method,
      headers: { 'Content-Type': 'application/json', ...(token && { Authorization: `Bearer ${token}` }) },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(ANSWER_MS),
    });
    const text = await answer.text();
    return { status: answer.status, body: text.startsWith('{') ? (JSON.parse(text) as Record<string, unknown>) : {} };
  }
}

export function isGood(status: number | 'no answer'): boolean {
  return status !== 'no answer' && status < 300;
}

/** In words: `1,204 × 200, 3 × 503, 2 × no answer`. */
export function inWords(statuses: Statuses): string {
  return [...statuses]
    .sort(([, one], [, other]) => other - one)
    .map(([status, count]) => `${count} × ${status}`)
    .join(', ');
}
