import { Agent, createServer, request, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';

interface Target {
  readonly url: string;
  healthy: boolean;
  /** Time of the last answer about its readiness. */
  checkedAt: number;
  /** The question about it that is under way. */
  looking: Promise<void> | null;
}

/** The balancer itself stood still if it has not asked for so long, and what it knows may no longer be so. */
const MAX_AGE_MS = 500;

/** Round robin over the targets that are ready, over kept connections. It never tries a request a second time. */
export class Balancer {
  private readonly agent = new Agent({ keepAlive: true });
  private readonly checks = new Map<Target, NodeJS.Timeout>();
  private turn = 0;
  private closed = false;
  /** Why requests got no answer from their target. */
  readonly failures: string[] = [];

  private constructor(
    private readonly server: Server,
    private readonly targets: readonly Target[],
    checkEveryMs: number,
  ) {
    server.on('request', (asked: IncomingMessage, answer: ServerResponse) => void this.forward(asked, answer));
    for (const target of targets) this.checkSoon(target, checkEveryMs);
  }

  static async before(urls: readonly string[], checkEveryMs = 100): Promise<Balancer> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new Balancer(
      server,
      urls.map((url) => ({ url, healthy: true, checkedAt: performance.now(), looking: null })),
      checkEveryMs,
    );
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  get healthy(): number {
    return this.targets.filter((target) => target.healthy).length;
  }

  async close(): Promise<void> {
    this.closed = true;
    for (const timer of this.checks.values()) clearTimeout(timer);
    this.agent.destroy();
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }

  private async forward(asked: IncomingMessage, answer: ServerResponse): Promise<void> {
    const old = this.targets.filter(({ checkedAt }) => performance.now() - checkedAt > MAX_AGE_MS);
    await Promise.all(old.map((target) => this.look(target)));
    const ready = this.targets.filter((target) => target.healthy);
    const target = ready[this.turn++ % ready.length];
    const fail = (error: Error): void => {
      this.failures.push(`${target?.url}: ${error.message}`);
      answer.writeHead(502).end();
    };
    if (!target) return fail(new Error('no target is ready'));
    const { method, headers } = asked;
    const onward = request(target.url + asked.url, { method, headers, agent: this.agent }, (given) => {
      const { connection: _hopByHop, ...passed } = given.headers;
      answer.writeHead(given.statusCode!, passed);
      given.pipe(answer);
    });
    onward.on('error', fail);
    asked.pipe(onward);
  }

  private checkSoon(target: Target, pauseMs: number): void {
    this.checks.set(
      target,
      setTimeout(() => void this.check(target, pauseMs), pauseMs),
    );
  }

  /**
   * Of one target one after the other: a late answer must not undo a later one. Each target has its own, so that one that
   * answers late delays no look at another.
   */
  private async check(target: Target, pauseMs: number): Promise<void> {
    await this.look(target);
    if (!this.closed) this.checkSoon(target, pauseMs);
  }

  private look(target: Target): Promise<void> {
    return (target.looking ??= this.ask(target).finally(() => (target.looking = null)));
  }

  /** A target that is busy, so that one of its own checks is late, is not taken out: only one that stops. */
  private async ask(target: Target): Promise<void> {
    target.healthy = await fetch(`${target.url}/health/ready`)
      .then(async (answer) => answer.ok || (target.healthy && !/shutting_down/.test(await answer.text())))
      .catch(() => false);
    target.checkedAt = performance.now();
  }
}
