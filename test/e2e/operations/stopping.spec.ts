import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { activeMs } from '../../support/active-time.js';
import { Balancer } from '../../support/balancer.js';
import { freePort } from '../../support/free-port.js';
import { comeAgain } from '../../support/judged.js';
import { type Exit, type ServiceProcess, startProcess } from '../../support/service-process.js';
import { freshDatabase, type TestDatabase } from '../../support/test-database.js';
import { eventually } from '../../support/wait.js';
import { type TestClient, World } from '../../support/world.js';

/** Each takes the start of a process. */
const ROLLING_RESTARTS = Number(process.env['ROLLING_RESTARTS'] ?? 2);
/** Of six clients between two requests: hundreds a second leave the processors to those that start. */
const PAUSE_MS = 10;

// F16
describe('SIGTERM', () => {
  let database: TestDatabase;

  beforeAll(async () => {
    database = await freshDatabase();
  });

  afterAll(() => database.drop());

  const start = (env: Record<string, string> = {}) =>
    startProcess('dist/main.js', { DATABASE_URL: database.url, RATE_LIMITS: 'off', LOG_LEVEL: 'warn', ...env });

  /** A login request of which half is sent: it is in flight until the rest arrives. */
  async function halfALogin(service: ServiceProcess, body: string): Promise<Socket> {
    const socket = connect(Number(new URL(service.baseUrl).port), '127.0.0.1');
    await once(socket, 'connect');
    const head = ['POST /auth/login HTTP/1.1', 'Host: x', 'Content-Type: application/json', 'Connection: close'];
    socket.write(`${head.join('\r\n')}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body.slice(0, 20)}`);
    // A later request on another connection has been answered, so the server has accepted this one.
    await fetch(`${service.baseUrl}/health/live`);
    return socket;
  }

  /** `ms` by the clock; `active` without the time in which others have the processors. */
  async function timed(service: ServiceProcess): Promise<Exit & { ms: number; active: number }> {
    const begun = performance.now();
    const ended = service.kill('SIGTERM');
    const active = await activeMs(() => ended);
    return { ...(await ended), ms: performance.now() - begun, active };
  }

  it('lets requests in flight finish and ends the process with code 0 within ten seconds', async () => {
    const service = await start();
    const world = await World.open(service.baseUrl, database.url);
    const app: TestClient = await world.app(await world.tenant());
    const user = await world.user(app);
    const body = JSON.stringify({ email: user.email, password: user.password, app_id: app.id });
    const socket = await halfALogin(service, body);
    const chunks: Buffer[] = [];
    socket.on('data', (chunk: Buffer) => chunks.push(chunk));
    const closed = once(socket, 'close');

    const ended = timed(service);
    await eventually('it takes no new connection', async () =>
      fetch(`${service.baseUrl}/health/live`).then(
        () => false,
        () => true,
      ),
    );
    socket.write(body.slice(20));
    await closed;
    expect(Buffer.concat(chunks).toString()).toMatch(/^HTTP\/1\.1 200 OK[^]*"access_token"/);
    const { code, signal, active } = await ended;
    expect([code, signal, active < 10_000]).toEqual([0, null, true]);
    await world.close();
  });

  it('ends a process with idle and with silent connections without waiting for them, with code 0', async () => {
    const service = await start();
    await (await fetch(`${service.baseUrl}/health/live`)).text(); // fetch keeps the connection
    const silent = connect(Number(new URL(service.baseUrl).port), '127.0.0.1'); // as browsers do, ahead of a request
    silent.on('error', () => undefined);
    await once(silent, 'connect');
    const { code, signal, active } = await timed(service);
    // A connection that it waited for would take 8 s.
    expect([code, signal, active < 7_000]).toEqual([0, null, true]);
  });

  it('answers while it waits for the balancer: not ready, and Connection: close on every answer', async () => {
    // Long enough to be asked meanwhile on a busy machine.
    const service = await start({ SHUTDOWN_DELAY_SECONDS: '10' });
    const before = await eventually('it is ready', async () => {
      const answer = await fetch(`${service.baseUrl}/health/ready`);
      return answer.status === 200 && answer;
    });
    expect(before.headers.get('connection')).toBe('keep-alive');
    const ended = timed(service);
    await eventually('it is not ready', async () => (await fetch(`${service.baseUrl}/health/ready`)).status === 503);
    const answer = await fetch(`${service.baseUrl}/.well-known/jwks.json`);
    expect([answer.status, answer.headers.get('connection')]).toEqual([200, 'close']);
    const { code, ms, active } = await ended;
    expect([code, ms >= 10_000, active < 13_000]).toEqual([0, true, true]);
  });

  it('is replaced behind a balancer, one process after the other, without a failed request', async () => {
    const ports = [String(await freePort()), String(await freePort())];
    const begin = (port: string) => start({ PORT: port, SHUTDOWN_DELAY_SECONDS: '3' });
    const processes = await Promise.all(ports.map(begin));
    const balancer = await Balancer.before(processes.map((process) => process.baseUrl));
    let over = false;
    const statuses = new Set<number>();
    const client = async (): Promise<void> => {
      while (!over) {
        statuses.add((await fetch(`${balancer.url}/auth/providers?app_id=x`)).status);
        await sleep(PAUSE_MS);
      }
    };
    const clients = Array.from({ length: 6 }, client);
    const exits: (number | null)[] = [];
    for (let roll = 0; roll < ROLLING_RESTARTS; roll++) {
      const [port, process] = [ports[roll % 2]!, processes[roll % 2]!];
      exits.push((await timed(process)).code);
      processes[roll % 2] = await begin(port);
      await eventually('both are ready', () => balancer.healthy === 2);
    }
    over = true;
    await Promise.all(clients);
    expect([exits, balancer.failures, [...statuses]]).toEqual([Array(ROLLING_RESTARTS).fill(0), [], [404]]);
    await balancer.close();
    await Promise.all(processes.map((process) => process.kill()));
  });

  it('cuts a client that never finishes its request and ends the process with code 0 within ten seconds', async () => {
    const service = await start();
    const socket = await halfALogin(service, JSON.stringify({ email: 'slow@example.com', password: 'x', app_id: 'y' }));
    socket.on('error', () => undefined);
    const { code, active } = await timed(service);
    expect([code, active < 10_000]).toEqual([0, true]);
    socket.destroy();
  });

  it('stops a cluster with all its workers', async () => {
    const service = await start({ WEB_CONCURRENCY: '2' });
    const world = await World.open(service.baseUrl, database.url);
    const app = await world.app(await world.tenant());
    const user = await world.user(app);
    const signIn = () => comeAgain(() => world.login(user, app.id));
    const answers = await Promise.all(Array.from({ length: 20 }, signIn));
    expect(new Set(answers.map(({ body }) => body.refresh_token)).size).toBe(20);
    const key = await world.call<{ keys: object[] }>('GET', '/.well-known/jwks.json');
    expect(key.body.keys.length).toBeGreaterThan(0);
    await world.close();
    const { code, signal, active } = await timed(service);
    expect([code, signal, active < 10_000]).toEqual([0, null, true]);
    await expect(fetch(`${service.baseUrl}/health/live`)).rejects.toThrow();
  });

  it('replaces a cluster worker that died, and stops the cluster with code 0', async () => {
    const service = await start({ WEB_CONCURRENCY: '2' });
    const children = await childrenOf(service.pid);
    expect(children).toHaveLength(2);
    process.kill(children[0]!, 'SIGKILL');
    await eventually('there are two again', async () => {
      const now = await childrenOf(service.pid);
      return now.length === 2 && !now.includes(children[0]!);
    });
    await eventually('it serves', async () => (await fetch(`${service.baseUrl}/health/ready`)).ok);
    expect((await timed(service)).code).toBe(0);
  });
});

/** Reads the child processes from /proc on Linux; the test kills only processes that it started. */
async function childrenOf(pid: number): Promise<number[]> {
  const { readFile } = await import('node:fs/promises');
  const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8');
  return children.trim().split(/\s+/).filter(Boolean).map(Number);
}
