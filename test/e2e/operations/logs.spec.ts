import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { HostedBrowser, loginPath } from '../../support/hosted-page.js';
import { type ServiceProcess, startProcess } from '../../support/service-process.js';
import { freshDatabase, type TestDatabase } from '../../support/test-database.js';
import { eventually } from '../../support/wait.js';
import { type TestClient, unique, World } from '../../support/world.js';

/** Texts that could forge a log line, color it, reverse it or fill the disk. */
const HOSTILE = [
  `x\r\n{"level":30,"msg":"forged"}`,
  '\u001b[31mred\u001b[0m',
  '\u202egnp.exe',
  '\u2028{"forged":true}',
  '\u0000',
  '"}\n{"forged":true}',
  'x'.repeat(100_000),
];

describe('Log of the service process', () => {
  let database: TestDatabase;
  let service: ServiceProcess;
  let world: World;
  const secrets = new Set<string>();

  /** Remembers the value, to search the log for it. */
  function secret<T extends string | null | undefined>(value: T): T {
    if (!value || value.length < 8) throw new Error(`No secret to look for: ${value}`);
    secrets.add(value);
    return value;
  }

  beforeAll(async () => {
    database = await freshDatabase();
    service = await startProcess('dist/main.js', {
      DATABASE_URL: database.url,
      LOG_LEVEL: 'trace',
      BOOTSTRAP_ADMIN_EMAIL: 'boot@example.com',
      BOOTSTRAP_ADMIN_PASSWORD: secret(`bootstrap-${unique()}`),
    });
    world = await World.open(service.baseUrl, database.url);
  });

  afterAll(async () => {
    await world?.close();
    await service?.kill();
    await database?.drop();
  });

  async function useEverySecret(): Promise<void> {
    const app: TestClient = await world.app(await world.tenant());
    secret(app.secret);
    secret(world.admin.token);
    const password = secret(`password-${unique()}`);
    const user = { ...(await world.user(app, { password })), password };
    const login = await world.login(user, app.id, { device_id: 'device' });
    secret(login.body.access_token);
    secret(login.headers.getSetCookie()[0]!.split(/[=;]/)[1]);
    const refresh = { refresh_token: secret(login.body.refresh_token), app_id: app.id, device_id: 'device' };
    const next = await world.call<{ refresh_token: string }>('POST', '/token/refresh', refresh);
    secret(next.body.refresh_token);
    await world.call('POST', '/token/refresh', refresh); // replay
    await world.call('POST', '/token/revoke', { token: next.body.refresh_token });
    await world.login({ ...user, password: secret(`wrong-${unique()}`) }, app.id);
    secret(await world.serviceToken(app));
    const basic = {
      Authorization: `Basic ${secret(Buffer.from(`${app.id}:wrong-secret-${unique()}`).toString('base64'))}`,
    };
    await world.call('POST', '/auth/token', { grant_type: 'client_credentials' }, { headers: basic });
    const regenerated = await world.asAdmin<{ client_secret: string }>('PUT', `/admin/apps/${app.id}/secret`);
    secret(regenerated.client_secret);
    await world.call('GET', `/admin/tenants?access_token=${secret(`query-token-${unique()}`)}`);
    await world.call(
      'GET',
      `/nothing?code=${secret(`query-code-${unique()}`)}&password=${secret(`query-${unique()}`)}`,
    );

    const browser = new HostedBrowser(service.baseUrl);
    const verifier = secret(`verifier-${unique()}-${unique()}-${unique()}-${unique()}`);
    const delivered = await browser.signIn(loginPath(app, { state: 'state' }), user.email, password);
    const code = secret(delivered.delivered.get('code'));
    secret(browser.cookie('sso'));
    await world.call('POST', '/token/exchange', { code, app_id: app.id, code_verifier: verifier });
    await world.call('POST', '/auth/login', `{"password":"${secret(`unfinished-${unique()}`)}`);
  }

  /** Sends the headers byte for byte, which a well-behaved client would refuse to do. */
  async function sendRaw(headers: Record<string, string>): Promise<void> {
    const socket = connect(Number(new URL(service.baseUrl).port), '127.0.0.1');
    socket.on('error', () => undefined);
    socket.resume();
    const closed = once(socket, 'close');
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
    socket.end(['GET /health/live HTTP/1.1', 'Host: x', 'Connection: close', ...lines, '', ''].join('\r\n'));
    await closed;
  }

  async function sendHostile(): Promise<void> {
    for (const text of HOSTILE) {
      await world.login({ id: '', email: `a${text}@example.com`, password: 'x' }, world.platformConsoleId);
      await world.login({ id: '', email: text, password: 'x' }, world.platformConsoleId);
      await world.call('POST', '/admin/tenants', { name: text.slice(0, 200) }, { token: world.admin.token });
      await world.call('GET', `/${encodeURIComponent(text).slice(0, 8000)}`);
      await world.call('GET', `/login?app_id=${encodeURIComponent(text).slice(0, 8000)}`);
      const bytes = text.slice(0, 8000);
      for (const name of ['User-Agent', 'X-Request-Id', 'X-Forwarded-For', 'Referer']) await sendRaw({ [name]: bytes });
    }
  }

  const lines = () => service.logs().filter((line) => line !== '');

  // security 111
  it('contains no secret used during the run', async () => {
    await useEverySecret();
    const last = `last-${unique()}`;
    await world.call('GET', '/health/live', undefined, { headers: { 'X-Request-Id': last } });
    await eventually('all is written', () => lines().some((line) => line.includes(last)));
    const text = lines().join('\n');
    expect(secrets.size).toBeGreaterThan(15);
    expect(text).toContain('/token/exchange');
    for (const each of secrets) expect([each, text.includes(each)]).toEqual([each, false]);
    for (const each of secrets) {
      const encoded = encodeURIComponent(each);
      expect([encoded, text.includes(encoded)]).toEqual([encoded, false]);
    }
    expect(text).not.toMatch(/eyJ[\w-]{10,}\.|\$2[aby]\$|BEGIN (RSA )?PRIVATE/);
  });

  // security 110
  it('contains one JSON object on every line, even for hostile input', async () => {
    await sendHostile();
    const written = lines();
    expect(written.length).toBeGreaterThan(50);
    for (const line of written) {
      const parsed = parse(line);
      expect([line.slice(0, 300), typeof parsed]).toEqual([line.slice(0, 300), 'object']);
      expect(parsed).toHaveProperty('level');
      expect(parsed).not.toHaveProperty('forged');
      // eslint-disable-next-line no-control-regex -- control characters are what is looked for
      expect([line.slice(0, 300), /[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/.test(line)]).toEqual([
        line.slice(0, 300),
        false,
      ]);
      expect(line.length).toBeLessThan(20_000);
    }
  });

  it('contains one line for each request with method, path, status, time and request id', async () => {
    const id = `log-${unique()}`;
    const headers = { 'X-Request-Id': id };
    await world.call('GET', '/admin/tenants?secret=1', undefined, { headers });
    const own = await eventually('the line is written', () => {
      const parsed = lines().map((line) => parse(line) as Record<string, unknown>);
      const found = parsed.filter((line) => line['request_id'] === id);
      return found.length > 0 && found;
    });
    expect(own).toEqual([
      expect.objectContaining({
        method: 'GET',
        path: '/admin/tenants',
        status: 401,
        ms: expect.any(Number),
        ip: '127.0.0.1',
      }),
    ]);
  });

  it('warns about an app without a redirect URI, for which no sign-in link can be mailed', async () => {
    const config = { redirect_uris: [], allowed_providers: ['password', 'magic_link'] };
    const app = await world.app(await world.tenant(), { config });
    const asked = { email: `person-${unique()}@example.com`, app_id: app.id };
    expect((await world.call('POST', '/auth/magic-link/request', asked)).body).toEqual({ status: 'sent' });
    const warning = await eventually('the warning is written', () =>
      lines()
        .map((line) => parse(line) as Record<string, unknown>)
        .find((line) => line['app_id'] === app.id && String(line['msg'] ?? line['message']).includes('redirect URI')),
    );
    expect(warning).toMatchObject({ level: 40 });
    expect(JSON.stringify(warning)).not.toContain(asked.email);
  });
});

function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return line;
  }
}
