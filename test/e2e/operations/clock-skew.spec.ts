import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { fileURLToPath } from 'node:url';
import { runCommand } from '../../support/command-line.js';
import { freePort } from '../../support/free-port.js';
import { HostedBrowser, loginPath } from '../../support/hosted-page.js';
import { readJwt } from '../../support/jwt-parts.js';
import { type ServiceProcess, startProcess } from '../../support/service-process.js';
import { freshDatabase, type TestDatabase } from '../../support/test-database.js';
import { eventually } from '../../support/wait.js';
import { type TestUser, type TestClient, World } from '../../support/world.js';

const HOUR_MS = 3_600_000;
const SHIFT = fileURLToPath(new URL('../../support/shifted-clock.mjs', import.meta.url));

// F10
describe('Process on a machine whose clock is wrong', () => {
  let database: TestDatabase;
  let fast: ServiceProcess;
  let slow: ServiceProcess;
  let worker: ServiceProcess;
  let world: World;
  let app: TestClient;
  let user: TestUser;

  beforeAll(async () => {
    database = await freshDatabase();
    // Nothing listens there: each mail fails.
    const mail = { MAIL_URL: `smtp://127.0.0.1:${await freePort()}` };
    const start = (entry: string, shiftMs: number, readyLine?: RegExp) =>
      startProcess(
        entry,
        {
          ...mail,
          DATABASE_URL: database.url,
          NODE_OPTIONS: `--import ${SHIFT}`,
          CLOCK_SHIFT_MS: String(shiftMs),
          LOG_LEVEL: 'info',
        },
        readyLine && { readyLine },
      );
    fast = await start('dist/main.js', 2 * HOUR_MS);
    slow = await start('dist/main.js', -HOUR_MS);
    worker = await start('dist/worker.js', HOUR_MS, /Worker is running/);
    world = await World.open(slow.baseUrl, database.url);
    app = await world.app(await world.tenant());
    user = await world.user(app);
  });

  afterAll(async () => {
    await world.close();
    await Promise.all([fast.kill(), slow.kill(), worker.kill()]);
    await database.drop();
  });

  const on = async (service: ServiceProcess, path: string) => (await fetch(service.baseUrl + path)).text();
  const signIn = async (service: ServiceProcess) => {
    const answer = await fetch(`${service.baseUrl}/auth/login`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ email: user.email, password: user.password, app_id: app.id }),
    });
    return readJwt(((await answer.json()) as { access_token: string }).access_token);
  };

  it('is not ready, logs the difference and shows it in a metric', async () => {
    const answer = await fetch(`${fast.baseUrl}/health/ready`);
    const { details } = (await answer.json()) as { details: { clock: { status: string; skew_seconds: number } } };
    expect([answer.status, details.clock.status]).toEqual([503, 'down']);
    expect(Math.abs(details.clock.skew_seconds - 7_200)).toBeLessThan(5);
    const says = (service: ServiceProcess, words: string) => service.logs().some((line) => line.includes(words));
    await eventually('both say so', () =>
      [
        says(fast, 's ahead of that of the database: check NTP'),
        says(slow, 's behind that of the database: check NTP'),
      ].every(Boolean),
    );
    const skew = Number(/^identity_clock_skew_seconds (\S+)/m.exec(await on(slow, '/metrics'))?.[1]);
    expect(Math.abs(skew + 3_600)).toBeLessThan(5);
  });

  it('issues tokens with the database’s time', async () => {
    for (const service of [fast, slow]) {
      const before = Date.now() / 1_000;
      const { payload } = await signIn(service);
      expect(Number(payload['iat'])).toBeGreaterThan(before - 2);
      expect(Number(payload['iat'])).toBeLessThan(Date.now() / 1_000 + 1);
    }
  });

  it('does not sign with a new key before every client has it', async () => {
    const before = (await signIn(fast)).header['kid'];
    expect((await runCommand(['keys', 'rotate'], { env: { DATABASE_URL: database.url } })).code).toBe(0);
    await eventually('the new key is published', async () => {
      const { keys } = JSON.parse(await on(fast, '/.well-known/jwks.json')) as { keys: unknown[] };
      return keys.length === 2;
    });
    expect((await signIn(fast)).header['kid']).toBe(before);
  });

  it('does not take a sign-in of 40 minutes ago for a new one', async () => {
    const browser = new HostedBrowser(slow.baseUrl);
    await browser.signIn(loginPath(app), user.email, user.password);
    expect((await browser.get(loginPath(app, { max_age: '1800' }))).location).not.toBeNull();
    await world.sql(`UPDATE sso_sessions SET auth_time = now() - interval '40 minutes' WHERE user_id = $1`, [user.id]);
    await world.sql(`UPDATE users SET tokens_valid_from = now() - interval '1 day' WHERE id = $1`, [user.id]);
    const page = await browser.get(loginPath(app, { max_age: '1800' }));
    expect([page.status, page.location]).toEqual([200, null]);
  });

  it('neither lets mails expire early nor delays their next attempt', async () => {
    await fetch(`${slow.baseUrl}/auth/forgot-password`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ email: user.email, app_id: app.id }),
    });
    const [mail] = await eventually('a failed attempt', async () => {
      const rows = await world.sql<{ pause: number; life: number }>(
        `SELECT extract(epoch FROM available_at - now())::float8 AS pause, extract(epoch FROM expires_at - now())::float8 AS life
         FROM outbox_messages WHERE job = 'mail.send' AND last_error IS NOT NULL AND expires_at IS NOT NULL AND dead_at IS NULL`,
      );
      return rows.length > 0 ? rows : null;
    });
    expect(mail!.life).toBeGreaterThan(600);
    expect(mail!.pause).toBeLessThan(120);
  });
});
