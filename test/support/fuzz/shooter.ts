import type { Server } from 'node:http';
import type { CredentialFixture, Presented } from '../credentials/credential-fixture.js';
import type { TestApp } from '../test-app.js';
import { BROKEN_BODIES, BROKEN_UPLOADS, type WireBody } from './broken-bodies.js';
import { Random } from './random.js';
import { type RawAnswer, RawConnection } from './raw-connection.js';
import { type Fields, hostileText, hostileValue, readableBody } from './readable-bodies.js';
import type { Target } from './targets.js';

const BROKEN = Object.entries(BROKEN_BODIES);
const UPLOADS = Object.entries(BROKEN_UPLOADS);
const NOBODY: Presented = { headers: {}, formToken: null };
const NO_BODY: WireBody = { headers: {}, bytes: Buffer.alloc(0), length: null };

export interface Hit {
  /** What was sent, in one line. */
  readonly what: string;
  /** null: the connection ended first. */
  readonly answer: RawAnswer | null;
  /** The status as the service saw it, even if the client had left; null: it never became a request. */
  readonly status: number | null;
  /** Why there is neither an answer nor an end. */
  readonly error?: string;
}

/** Makes request number n of a seed, sends it, and tells what came of it. */
export class Shooter {
  private readonly connection: RawConnection;

  constructor(
    private readonly seed: number,
    private readonly fixture: CredentialFixture,
    private readonly statuses: Statuses,
    service: TestApp,
  ) {
    this.connection = new RawConnection(service.settings.port);
  }

  /** A body that nobody can read. */
  async broken(number: number, targets: readonly Target[]): Promise<Hit> {
    const random = new Random(this.seed, number);
    const target = pickWithBody(random, targets);
    const presented = await this.presented(random, target);
    const json = JSON.stringify({ ...fieldsFor(random, target, presented), last: 'so that it is never too short' });
    const [name, make] = random.pick(target.takesUpload && random.oneIn(2) ? UPLOADS : BROKEN);
    return this.send(
      number,
      name,
      target,
      uploadPath(random, target, this.fixture, presented),
      presented,
      make(random, json),
      random,
    );
  }

  /** A request that can be read, full of what its handler may not expect. */
  async readable(number: number, targets: readonly Target[]): Promise<Hit> {
    const random = new Random(this.seed, number);
    const target = random.pick(targets);
    const presented = await this.presented(random, target);
    const fields = fieldsFor(random, target, presented);
    const names = Array.from({ length: random.below(4) }, () => random.pick([...target.fields, 'a']));
    const query = new URLSearchParams(
      names.map((name): [string, string] => [name, hostileText(random).toWellFormed().slice(0, 4000)]),
    );
    const path = `${pathOf(random, target, this.fixture)}?${query.toString()}`;
    const body = target.takesBody ? readableBody(random, fields) : NO_BODY;
    return this.send(number, 'a readable request', target, path, presented, body, random);
  }

  close(): void {
    this.connection.close();
  }

  private async presented(random: Random, { kinds }: Target): Promise<Presented> {
    return kinds.length === 0 || random.oneIn(3) ? NOBODY : this.fixture.present(random.pick(kinds));
  }

  private async send(
    number: number,
    what: string,
    { method, path: pattern }: Target,
    path: string,
    presented: Presented,
    body: WireBody,
    random: Random,
  ): Promise<Hit> {
    const id = `shot-${number}`;
    const length = body.length === undefined ? body.bytes.length : body.length;
    const headers: Record<string, string> = {
      Host: 'broker.test',
      'X-Request-Id': id,
      Accept: random.pick(['application/json', 'text/html', '*/*']),
      ...presented.headers,
      ...body.headers,
      ...(length === null ? {} : { 'Content-Length': String(length) }),
      'User-Agent': hostileText(random)
        .replace(/[^\x20-\x7e]/g, '')
        .slice(0, 200),
    };
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    const head = Buffer.from(`${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n`, 'latin1');
    const credential = presented === NOBODY ? 'nothing' : Object.keys(presented.headers)[0];
    const hit = { what: `${what}: ${method} ${pattern} with ${credential}` };
    try {
      const answer = await this.connection.send(Buffer.concat([head, body.bytes]), body.leaving ?? 'stays');
      return { ...hit, answer, status: await this.statuses.of(id) };
    } catch (error) {
      this.connection.close();
      return { ...hit, answer: null, status: null, error: String(error) };
    }
  }
}

/** The status of each request as the service saw it, by the request's id. */
export class Statuses {
  private readonly ended = new Map<string, Promise<number>>();

  constructor(service: TestApp) {
    const server = service.nest.getHttpServer() as Server;
    server.prependListener('request', (request, response) => {
      const id = String(request.headers['x-request-id']);
      this.ended.set(id, new Promise((resolve) => response.once('close', () => resolve(response.statusCode))));
    });
  }

  async of(id: string): Promise<number | null> {
    // A sender that has gone may be quicker than the service is in noticing the request.
    await new Promise((resolve) => setImmediate(resolve));
    return (await this.ended.get(id)) ?? null;
  }
}

/** The few that read uploads come more often: each does it in its own way. */
function pickWithBody(random: Random, targets: readonly Target[]): Target {
  const uploads = targets.filter(({ takesUpload }) => takesUpload);
  if (uploads.length > 0 && random.oneIn(8)) return random.pick(uploads);
  return random.pick(targets.filter(({ takesBody }) => takesBody));
}

function fieldsFor(random: Random, { fields }: Target, { formToken }: Presented): Fields {
  const count = 1 + random.below(6);
  const entries = Array.from({ length: count }, (): [string, unknown] => [
    random.oneIn(8) ? hostileText(random).slice(0, 100) : random.pick([...fields, 'a']),
    hostileValue(random),
  ]);
  return { ...Object.fromEntries(entries), ...(formToken && !random.oneIn(5) ? { form_token: formToken } : {}) };
}

/** The console wants the form token in the address where the body is an upload, before it reads any of it. */
function uploadPath(random: Random, target: Target, fixture: CredentialFixture, { formToken }: Presented): string {
  const path = pathOf(random, target, fixture);
  return target.takesUpload && formToken ? `${path}?form_token=${formToken}` : path;
}

function pathOf(random: Random, { path }: Target, { app, tenant, user }: CredentialFixture): string {
  const known: Readonly<Record<string, string>> = { app_id: app.id, tenant_id: tenant.id, user_id: user.id };
  return path.replace(/:(\w+)|\*/g, (_, name: string | undefined) => {
    if (random.oneIn(6)) return encodeURIComponent(hostileText(random).toWellFormed().slice(0, 2000)) || 'x';
    return (name && known[name]) || random.uuid();
  });
}
