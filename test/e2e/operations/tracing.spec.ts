import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { fileURLToPath } from 'node:url';
import { activeMs } from '../../support/active-time.js';
import { type ServiceProcess, startProcess } from '../../support/service-process.js';
import { freshDatabase, type TestDatabase } from '../../support/test-database.js';
import { signUp } from '../../support/new-user.js';
import { type ReceivedSpan, TraceReceiver } from '../../support/trace-receiver.js';
import { eventually } from '../../support/wait.js';
import { type TestClient, unique, World } from '../../support/world.js';

const LOADED = fileURLToPath(new URL('../../support/loaded-modules.cjs', import.meta.url));
const [SERVER, CLIENT, CONSUMER] = [2, 3, 5];
const ERROR = 2;

describe('Traces', () => {
  let database: TestDatabase;
  let receiver: TraceReceiver;
  let running: ServiceProcess | null = null;

  beforeAll(async () => {
    database = await freshDatabase();
    receiver = await TraceReceiver.start();
  });
  afterEach(async () => {
    await running?.kill();
    running = null;
  });
  afterAll(async () => {
    await receiver.close();
    await database.drop();
  });

  const start = async (entry: string, env: Record<string, string>, readyLine?: RegExp): Promise<ServiceProcess> =>
    (running = await startProcess(entry, { DATABASE_URL: database.url, ...env }, readyLine ? { readyLine } : {}));
  const find = (fits: (span: ReceivedSpan) => boolean): ReceivedSpan[] => receiver.spans.filter(fits);
  const arrives = async (what: string, fits: (span: ReceivedSpan) => boolean): Promise<ReceivedSpan> => {
    await eventually(what, () => find(fits).length > 0);
    return find(fits)[0]!;
  };

  it('are off, and nothing of OpenTelemetry is loaded, without its variables', async () => {
    const service = await start('dist/main.js', { NODE_OPTIONS: `--require ${LOADED}` });
    await fetch(`${service.baseUrl}/.well-known/jwks.json`);
    await service.kill();
    expect(service.logs()).toContain('OpenTelemetry files loaded: 0');
  });

  it('are on with OTEL_EXPORTER_OTLP_ENDPOINT, and sent at the stop at the latest', async () => {
    const env = { NODE_OPTIONS: `--require ${LOADED}`, ...receiver.environment, OTEL_BSP_SCHEDULE_DELAY: '60000' };
    const service = await start('dist/main.js', env);
    await fetch(`${service.baseUrl}/.well-known/openid-configuration?code=secret-code`);
    expect((await service.kill()).code).toBe(0);
    expect(service.logs().find((line) => line.startsWith('OpenTelemetry files loaded: '))).toMatch(/[1-9]\d+$/);
    const [span] = find(({ name }) => name === 'GET /.well-known/openid-configuration');
    expect(span).toMatchObject({
      kind: SERVER,
      attributes: {
        'http.request.method': 'GET',
        'http.route': '/.well-known/openid-configuration',
        'http.response.status_code': 200,
      },
    });
    expect(receiver.resources[0]).toMatchObject({ 'service.name': 'identity-broker' });
    expect(Object.keys(receiver.resources[0]!).filter((name) => name.startsWith('process.'))).toEqual([]);
  });

  it('do not harm the service when no collector listens', async () => {
    const service = await start('dist/main.js', { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1' });
    expect((await fetch(`${service.baseUrl}/.well-known/jwks.json`)).status).toBe(200);
    expect((await service.kill()).code).toBe(0);
  });

  it('neither delay requests nor the stop when the collector takes everything and never answers', async () => {
    const silent = createServer().listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const address = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
    const service = await start('dist/main.js', {
      OTEL_EXPORTER_OTLP_ENDPOINT: address,
      OTEL_BSP_SCHEDULE_DELAY: '50',
    });
    const took = await activeMs(async () => {
      for (let asked = 0; asked < 20; asked++)
        expect((await fetch(`${service.baseUrl}/.well-known/jwks.json`)).status).toBe(200);
    });
    expect(took).toBeLessThan(6_000); // one that waits for the exporter waits ten seconds
    expect(await activeMs(async () => expect((await service.kill()).code).toBe(0))).toBeLessThan(10_000);
    silent.close();
  });

  describe('of a web process', () => {
    let service: ServiceProcess;
    let world: World;
    let app: TestClient;

    beforeAll(async () => {
      service = await startProcess('dist/main.js', {
        DATABASE_URL: database.url,
        ...receiver.environment,
        OTEL_SERVICE_NAME: 'broker-of-the-test',
        TRUST_PROXY: '1',
        PASSWORD_RANGE_URL: `${receiver.address}/range/`,
        ALLOW_PRIVATE_NETWORK_TARGETS: 'true',
      });
      world = await World.open(service.baseUrl, database.url);
      app = await world.app(await world.tenant());
    });
    afterAll(async () => void (await service.kill()));

    it('have statements and Redis commands below their request, with placeholders and without values', async () => {
      const email = `${unique()}@traced.example`;
      await world.call('POST', '/auth/login', { email, password: 'a-secret-password', app_id: app.id });
      const request = await arrives(
        'the request',
        ({ name, attributes }) =>
          name === 'POST /auth/login' && Number(attributes['http.response.status_code']) === 401,
      );
      const statements = find(({ parentSpanId, kind }) => parentSpanId === request.spanId && kind === CLIENT);
      expect(statements.map(({ name }) => name.split(' ', 1)[0])).toEqual(expect.arrayContaining(['SELECT', 'INSERT']));
      const systems = new Set(statements.map(({ attributes }) => attributes['db.system.name']));
      expect([...systems].sort()).toEqual(['postgresql', 'redis']);
      const sent = receiver.bodies.join('\n');
      for (const secret of [email, email.split('@')[0]!, 'a-secret-password', '127.0.0.1:', app.secret])
        expect(sent.replaceAll(receiver.address, '')).not.toContain(secret);
    });

    it('name requests by their route, and mark those that fail with 5xx only', async () => {
      const id = '3f0c2d0e-1111-4222-8333-444455556666';
      await world.call('DELETE', `/admin/users/${id}`);
      const span = await arrives('the request', ({ name }) => name === 'DELETE /admin/users/:user_id');
      expect(span.status.code ?? 0).not.toBe(ERROR);
      expect(receiver.bodies.join('\n')).not.toContain(id);
    });

    it('continue the trace of a trusted proxy, and hand it on to outgoing requests', async () => {
      const [traceId, parent] = ['0af7651916cd43dd8448eb211c80319c', 'b7ad6b7169203331'];
      const open = await world.app(await world.tenant({ weak_passwords: 'block' }), { registration_policy: 'open' });
      const headers = { traceparent: `00-${traceId}-${parent}-01`, baggage: 'secret=x' };
      const answer = await signUp(world, open, { password: `a long and new one ${unique()}` }, headers);
      expect(answer.status).toBeLessThan(300);
      const call = await arrives(
        'the outgoing request',
        (span) => span.traceId === traceId && span.kind === CLIENT && span.name === 'GET',
      );
      expect(call.attributes).toMatchObject({ 'server.address': '127.0.0.1', 'http.response.status_code': 200 });
      expect(Object.values(call.attributes).join(' ')).not.toContain('/range/');
      const asked = receiver.others.find(({ url }) => url.startsWith('/range/'))!;
      expect(asked.headers['traceparent']).toBe(`00-${traceId}-${call.spanId}-01`);
      expect(asked.headers['baggage']).toBeUndefined();
      const request = await arrives('the request', (span) => span.traceId === traceId && span.kind === SERVER);
      expect(request.parentSpanId).toBe(parent);
    });

    it('have the service name of OTEL_SERVICE_NAME', () => {
      expect(receiver.resources.at(-1)).toMatchObject({ 'service.name': 'broker-of-the-test' });
    });
  });

  it('begin anew at each request without a trusted proxy', async () => {
    const service = await start('dist/main.js', receiver.environment);
    const traceId = '1111111111111111222222222222222a';
    await fetch(`${service.baseUrl}/health/live`, { headers: { traceparent: `00-${traceId}-b7ad6b7169203331-01` } });
    await arrives('the request', ({ name }) => name === 'GET /health/live');
    expect(find((span) => span.traceId === traceId)).toEqual([]);
  });

  it('have a span of its own for each attempt at a job', async () => {
    const web = await startProcess('dist/main.js', { DATABASE_URL: database.url });
    const world = await World.open(web.baseUrl, database.url);
    const app = await world.app(await world.tenant());
    const user = await world.user(app);
    await world.call('POST', '/auth/forgot-password', { email: user.email, app_id: app.id });
    await start('dist/worker.js', { ...receiver.environment, TRUST_PROXY: '1' }, /Worker is running/);
    const job = await arrives('the job', ({ kind }) => kind === CONSUMER);
    expect(job.name).toMatch(/^process [a-z_.]+$/);
    expect(job.parentSpanId || undefined).toBeUndefined();
    await arrives('its statements', ({ parentSpanId }) => parentSpanId === job.spanId);
    expect(receiver.bodies.join('\n')).not.toContain(user.email);
    await web.kill();
  });
});
