import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { Client } from 'pg';
import { ENDED_TABLES, KEPT_TABLES } from '../../../src/operations/restore/restored-tables.js';
import { codeAt } from '../../support/authenticator.js';
import { runCommand } from '../../support/command-line.js';
import { sendForm, visitAccount } from '../../support/account-visitor.js';
import { freePort } from '../../support/free-port.js';
import { HostedBrowser, loginPath } from '../../support/hosted-page.js';
import { environmentVariable } from '../../support/environment-variable.js';
import { enroll, totpSession, verify } from '../../support/second-factor.js';
import { linkIn, SmtpInbox } from '../../support/smtp.js';
import { startTestApp, type TestApp } from '../../support/test-app.js';
import { freshDatabase } from '../../support/test-database.js';
import { testEnvironment } from '../../support/test-settings.js';
import { fcmToken } from '../../support/push.js';
import { type TestUser, type TestClient, type Tokens, World } from '../../support/world.js';

jest.setTimeout(240_000); // processes of their own on busy cores

const FRESH = 'an entirely new secret';

/** The user's tokens, session, codes and links at the time of the backup. */
interface Held {
  readonly tokens: Tokens;
  readonly browser: HostedBrowser;
  readonly code: string;
  readonly reset: string;
  readonly magic: string;
  readonly invite: string;
  readonly challenge: string;
}

describe('Command restore revoke-before', () => {
  let smtp: SmtpInbox;
  /** The same port after each start, so that the users' URLs and cookies stay valid. */
  let port: number;
  let service: TestApp;
  let world: World;
  let app: TestClient;
  let user: TestUser;
  let strong: TestUser;
  let secret: string;
  let backupCodes: readonly string[];
  let held: Held;
  let totpCode: string;
  const name = `t_${randomBytes(8).toString('hex')}`;
  const backup = `${name}_backup`;
  const url = (database: string) =>
    Object.assign(new URL(environmentVariable('TEST_ADMIN_DATABASE_URL')), { pathname: `/${database}` }).href;

  const asOwner = async (...statements: string[]) => {
    const client = new Client({ connectionString: environmentVariable('TEST_ADMIN_DATABASE_URL') });
    await client.connect();
    for (const statement of statements) await client.query(statement);
    await client.end();
  };
  const cli = (...args: string[]) => runCommand(args, { env: { ...testEnvironment(), DATABASE_URL: url(name) } });
  const start = async () => {
    service = await startTestApp({
      settings: { port, databaseUrl: url(name), mailUrl: smtp.url, rateLimits: { enabled: false, overrides: {} } },
    });
  };
  const stop = async () => {
    await world.close();
    await service.close();
  };
  const mailLink = async (path: string, subject: string) => {
    await world.call('POST', path, { email: user.email, app_id: app.id });
    return linkIn(await smtp.next(user.email, subject)).token;
  };
  beforeAll(async () => {
    [smtp, port] = await Promise.all([SmtpInbox.start(), freePort()]);
    const fresh = await freshDatabase();
    await asOwner(`ALTER DATABASE ${new URL(fresh.url).pathname.slice(1)} RENAME TO ${name}`);
    await start();
    world = await World.open(service.baseUrl, url(name));
    app = await world.app(await world.tenant(), { registration_policy: 'invite' });
    [user, strong] = [await world.user(app), await world.user(app)];
    ({ secret, backupCodes } = await enroll(world, strong, app.id));

    const browser = await visitAccount(world, user);
    const code = (await browser.get(loginPath(app))).delivered.get('code')!;
    const { code: invite } = await world.asAdmin<{ code: string }>('POST', `/admin/apps/${app.id}/invites`, {});
    held = {
      tokens: await world.tokens(user, app.id),
      browser,
      code,
      reset: await mailLink('/auth/forgot-password', 'Set a new password'),
      magic: await mailLink('/auth/magic-link/request', 'Your sign-in link'),
      invite,
      challenge: await totpSession(world, strong, app.id),
    };
    await world.sql(
      `INSERT INTO push_devices (id, app_id, user_id, platform, token_hash, sealed_token)
       VALUES (gen_random_uuid(), $1, $2, 'ios', sha256($3::bytea), 'x')`,
      [app.id, user.id, fcmToken()],
    );
    await world.sql("UPDATE users SET deletion_due_at = now() + interval '1 day' WHERE id = $1", [strong.id]);
    await stop();
    await asOwner(`CREATE DATABASE ${backup} TEMPLATE ${name}`);

    // Events after the backup: everything is used, expired or revoked.
    await start();
    world = await World.open(service.baseUrl, url(name));
    totpCode = codeAt(secret);
    await verify(world, held.challenge, totpCode);
    await world.call('POST', '/token/refresh', { refresh_token: held.tokens.refresh_token, app_id: app.id });
    await sendForm(held.browser, '/account/sessions/end-others');
    await world.call('POST', '/auth/reset-password', { token: held.reset, password: FRESH });
    await stop();

    await asOwner(`DROP DATABASE ${name} WITH (FORCE)`, `ALTER DATABASE ${backup} RENAME TO ${name}`);
  });

  afterAll(async () => {
    await smtp.stop();
    await asOwner(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`, `DROP DATABASE IF EXISTS ${backup} WITH (FORCE)`);
  });

  it('exits with 1 for a time without a zone or in the future', async () => {
    for (const time of ['2026-01-01', '2026-01-01T00:00:00', '2999-01-01T00:00:00Z'])
      expect(await cli('restore', 'revoke-before', time)).toMatchObject({ code: 1 });
  });

  it('lists with --dry-run what it would end, and changes nothing', async () => {
    const { code, stdout, output } = await cli('restore', 'revoke-before', 'now', '--dry-run');
    expect([code, output]).toEqual([0, expect.stringContaining('Nothing was changed')]);
    for (const { what } of Object.values(ENDED_TABLES)) expect(stdout).toContain(what);
    expect(stdout).toMatch(/[1-9]\d* {2}refresh token families revoked/);
    const { stdout: again } = await cli('restore', 'revoke-before', 'now', '--dry-run');
    expect(again).toMatch(/[1-9]\d* {2}refresh token families revoked/);
  });

  it('ends everything that the backup revived, lists what to check, and ends nothing on a second run', async () => {
    const time = new Date(Date.now() - 1).toISOString();
    // A large table takes longer than a request may.
    const restored = new Client({ connectionString: url(name) });
    await restored.connect();
    await restored.query(`CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN PERFORM pg_sleep(5.5); RETURN NULL; END $$`);
    await restored.query('CREATE TRIGGER slow AFTER UPDATE ON users FOR EACH STATEMENT EXECUTE FUNCTION slow()');
    // Access tokens must end for another reason than a removed key, too.
    const { code, stdout, output } = await cli('restore', 'revoke-before', time, '--keep-keys');
    await restored.query('DROP FUNCTION slow CASCADE');
    await restored.end();
    expect([code, output]).toEqual([0, output]);
    expect(stdout).not.toContain('New signing key');
    expect(stdout.replace(/\n +/g, ' ')).toContain('those for a protected resource as long as it says (up to a day)');
    expect(stdout).toContain('Client secrets: one that was regenerated since is the old one again');
    expect(stdout).toMatch(/App com\.example\.\w+ \(Tenant \w+\): last changed \d{4}-/);
    const second = await cli('restore', 'revoke-before', time, '--keep-keys');
    expect(second.stdout).not.toMatch(/^ +[1-9]\d* {2}/m);

    await start();
    world = await World.open(service.baseUrl, url(name));
    try {
      const { tokens } = held;
      const refresh = { refresh_token: tokens.refresh_token, app_id: app.id };
      expect((await world.call('POST', '/token/refresh', refresh)).status).toBe(401);
      expect((await world.call('GET', '/userinfo', undefined, { token: tokens.access_token })).status).toBe(401);
      expect((await held.browser.get('/account')).status).toBe(302);
      expect((await world.call('POST', '/token/exchange', { code: held.code, app_id: app.id })).status).toBe(400);
      const reset = { token: held.reset, password: 'the thief’s own password' };
      expect((await world.call('POST', '/auth/reset-password', reset)).status).toBe(400);
      const byLink = await new HostedBrowser(world.baseUrl).get(`/auth/magic-link/verify?token=${held.magic}`);
      expect(byLink.headers.get('set-cookie') ?? '').not.toContain('sso=');
      expect((await verify(world, held.challenge, totpCode)).status).toBe(400);
      expect((await verify(world, await totpSession(world, strong, app.id), totpCode)).status).toBe(401);
      expect((await verify(world, await totpSession(world, strong, app.id), backupCodes[0])).status).toBe(401);
      const [factor] = await world.sql<{ step: number }>('SELECT last_step::int AS step FROM second_factors');
      expect(factor!.step).toBe(Math.floor(Date.parse(time) / 30_000) + 1);
      const rows = await world.sql<{ left: number }>('SELECT max_uses - use_count AS left FROM invites');
      expect(rows.map(({ left }) => left)).toEqual([0]);
      expect(await world.sql('SELECT 1 FROM push_devices')).toEqual([]);
      expect(await world.sql('SELECT 1 FROM users WHERE deletion_due_at IS NOT NULL')).toEqual([]);
      const [browsers] = await world.sql<{ count: number }>(
        'SELECT count(*)::int AS count FROM known_browsers WHERE user_id = $1',
        [user.id],
      );
      expect(browsers).toEqual({ count: 0 });
      const entries = await world.sql<{ actor_id: string; metadata: { before: string } }>(
        "SELECT actor_id, metadata FROM audit_entries WHERE action = 'backup.revoked'",
      );
      expect(entries).toMatchObject([
        { actor_id: 'cli', metadata: { before: time, sso_sessions: expect.any(Number) } },
      ]);
      // The user can sign in with the password in the backup.
      expect((await world.login(user, app.id)).status).toBe(200);
    } finally {
      await stop();
    }
  });

  it('replaces the signing keys, once, unless they are to be kept', async () => {
    const time = new Date(Date.now() - 1).toISOString();
    const trial = await cli('restore', 'revoke-before', time, '--dry-run');
    expect(trial.stdout).toContain('Would replace the signing keys');
    const first = await cli('restore', 'revoke-before', time);
    expect([first.code, first.stdout]).toEqual([0, expect.stringContaining('New signing key')]);
    const again = await cli('restore', 'revoke-before', time);
    expect([again.code, again.stdout]).toEqual([0, expect.not.stringContaining('New signing key')]);
  });

  it('covers every table of the database in ENDED_TABLES or KEPT_TABLES', async () => {
    const client = new Client({ connectionString: url(name) });
    await client.connect();
    const { rows } = await client.query<{ name: string }>(
      "SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'public' AND table_type = 'BASE TABLE'",
    );
    await client.end();
    const known = [...Object.keys(ENDED_TABLES), ...Object.keys(KEPT_TABLES)];
    expect(known.sort()).toEqual(rows.map((row) => row.name).sort());
  });
});
