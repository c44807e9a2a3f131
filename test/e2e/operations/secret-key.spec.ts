import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { readProviders } from '../../../src/config/read-providers.js';
import type { Settings } from '../../../src/config/settings.js';
import { systemContext } from '../../../src/common/request-context.js';
import { SystemRandomness } from '../../../src/common/system-randomness.js';
import { SecretBox } from '../../../src/crypto/secret-box.js';
import { SigningKeys } from '../../../src/tokens/keys/signing-keys.js';
import { runCommand } from '../../support/command-line.js';
import { dumpDatabase } from '../../support/database-dump.js';
import { freePort } from '../../support/free-port.js';
import { HostedBrowser, loginPath } from '../../support/hosted-page.js';
import { newInvite } from '../../support/invites.js';
import { comeAgain } from '../../support/judged.js';
import { basic, type Failure, postForm, postJson } from '../../support/post.js';
import { type ServicePair, startPair } from '../../support/service-pair.js';
import { type ProcessEnvironment, type ServiceProcess, startProcess } from '../../support/service-process.js';
import { SmtpInbox } from '../../support/smtp.js';
import { startTestApp, type TestApp } from '../../support/test-app.js';
import { unstartedDatabase, type TestDatabase } from '../../support/test-database.js';
import { eventually } from '../../support/wait.js';
import { type TestClient, type Tokens, World } from '../../support/world.js';

const GITHUB = { GITHUB_CLIENT_ID: 'client', GITHUB_CLIENT_SECRET: 'secret of the client' };
const KEYS = { old: randomBytes(32), young: randomBytes(32) };
jest.setTimeout(240_000); // several processes on busy cores

/** Mails that no SMTP server has accepted yet when the key changes. */
const MAILS = 40;
/** Between two rounds of requests and looks while the command runs: more of them would only slow it down. */
const PAUSE_MS = 10;
const WORKER_UP = { readyLine: /Worker is running/ };
const base64 = (key: Buffer): string => key.toString('base64');
const stampOf = (key: Buffer): string =>
  new SecretBox(key, null, new SystemRandomness()).seal('x', 'y').split('.').slice(0, 2).join('.');

// security 112, 113, F14
describe('Rotation of SECRET_KEY', () => {
  let database: TestDatabase;
  let pair: ServicePair;
  let worker: ServiceProcess;
  let world: World;
  let app: TestClient;
  let smtpPort: number;

  const env = (more: ProcessEnvironment): ProcessEnvironment => ({
    DATABASE_URL: database.url,
    RATE_LIMITS: 'off',
    ...GITHUB,
    MAIL_URL: `smtp://127.0.0.1:${smtpPort}`,
    ...more,
  });
  const both = () => env({ SECRET_KEY: base64(KEYS.young), SECRET_KEY_PREVIOUS: base64(KEYS.old) });

  beforeAll(async () => {
    [database, smtpPort] = await Promise.all([unstartedDatabase(), freePort()]);
    const before = await startHere({ secretKey: KEYS.old, mailUrl: `smtp://127.0.0.1:${smtpPort}` });
    // A retired, a current and a future signing key.
    const keys = before.nest.get(SigningKeys, { strict: false });
    for (const immediately of [true, false]) await keys.rotate(systemContext('cli'), { immediately });
    world = await World.open(before.baseUrl, database.url);
    app = await world.app(await world.tenant(), {
      config: { allowed_providers: ['password', 'magic_link', 'github'] },
    });
    await useEverySeal();
    for (let mail = 0; mail < MAILS; mail++) await forgotPassword(before.baseUrl);
    await eventually('the mails wait for a server', async () => (await waitingMails()) === MAILS);
    await world.close();
    await before.close();
    pair = await startPair(both());
    worker = await startProcess('dist/worker.js', both(), WORKER_UP);
    world = await World.open(pair.addresses[0], database.url);
  });

  /** In this process, and without Redis: web and worker in one. */
  const startHere = (settings: Partial<Settings>): Promise<TestApp> =>
    startTestApp({
      settings: {
        databaseUrl: database.url,
        rateLimits: { enabled: false, overrides: {} },
        providers: readProviders(GITHUB, []),
        ...settings,
      },
    });

  afterAll(async () => {
    await world.close();
    await Promise.all([worker.kill(), pair.stop()]);
    await database.drop();
  });

  const waitingMails = async () =>
    (await world.sql(`SELECT 1 FROM outbox_messages WHERE job = 'mail.send' AND done_at IS NULL AND dead_at IS NULL`))
      .length;

  async function forgotPassword(address: string): Promise<string> {
    const { email } = await world.user(app);
    await postJson(`${address}/auth/forgot-password`, { email, app_id: app.id });
    return email;
  }

  /** Creates the other encrypted values: an invite, sign-ins that carry its code, a second factor, a sign-in at a provider. */
  async function useEverySeal(): Promise<void> {
    const { code: invite_code } = await newInvite(world, app);
    expect((await new HostedBrowser(world.baseUrl).get(loginPath(app, { invite_code }))).status).toBe(200);
    const asked = { client_id: app.id, response_type: 'code', redirect_uri: app.redirectUri, invite_code };
    expect((await postForm(`${world.baseUrl}/auth/par`, asked, basic(app.id, app.secret))).status).toBe(201);
    // They live for a minute, and the processes remove what is over.
    await world.sql(`UPDATE pushed_requests SET expires_at = now() + interval '1 hour'`);
    const user = await world.user(app);
    const token = (await world.tokens(user, app.id)).access_token;
    const { password } = user;
    expect((await world.call('POST', '/account/totp/setup', { password }, { token })).status).toBe(200);
    const start = `/oauth/github/start?app_id=${app.id}&redirect_uri=${encodeURIComponent(app.redirectUri)}`;
    expect((await world.call('GET', start)).status).toBe(302);
  }

  const staleIn = async (key: Buffer) =>
    (await dumpDatabase(world)).filter(({ row }) => row.includes(stampOf(key))).map(({ table }) => table);

  /** Decrypts every encrypted value in the database with both keys. */
  async function openEverything(): Promise<number> {
    const box = new SecretBox(KEYS.young, KEYS.old, new SystemRandomness());
    const rows = await world.sql<{ sealed: string; row: string }>(
      `SELECT sealed_private_key AS sealed, 'signing_keys:' || kid AS row FROM signing_keys
       UNION ALL SELECT code_sealed, 'invites:' || id FROM invites
       UNION ALL SELECT request ->> 'sealedInvite', 'sign_in_attempts:' || id FROM sign_in_attempts WHERE request ? 'sealedInvite'
       UNION ALL SELECT parameters ->> 'sealedInvite', 'pushed_requests:' || encode(reference_hash, 'hex') FROM pushed_requests
       UNION ALL SELECT sealed_secret, 'second_factors:' || user_id FROM second_factors
       UNION ALL SELECT sealed, 'provider_states:' || encode(state_hash, 'hex') FROM provider_states
       UNION ALL SELECT payload ->> 'sealed', 'outbox_messages:mail:' || (payload ->> 'ref') FROM outbox_messages WHERE payload ? 'sealed'`,
    );
    for (const { sealed, row } of rows) box.open(sealed, row);
    return rows.length;
  }

  it('encrypts every value again while two processes run, and every row stays readable', async () => {
    const user = await world.user(app);
    expect(new Set(await staleIn(KEYS.old))).toEqual(
      new Set([
        ...['invites', 'outbox_messages', 'provider_states', 'pushed_requests', 'second_factors'],
        ...['sign_in_attempts', 'signing_keys'],
      ]),
    );
    let running = true;
    let looks = 0;
    const failures: unknown[] = [];
    const must = (what: string, ok: boolean): void => void (ok || failures.push(what));
    const traffic = pair.addresses.map(async (address) => {
      let { refresh_token } = await world.tokens(user, app.id, { device_id: address });
      while (running) {
        // The rotation may hold the row for longer than the service waits for it.
        const refreshed = await comeAgain(() =>
          postJson<Tokens & Failure>(`${address}/token/refresh`, { refresh_token, app_id: app.id }),
        );
        must('refresh', refreshed.status === 200);
        ({ refresh_token } = refreshed.body);
        const asked = { token: refreshed.body.access_token, audience: app.id };
        const verified = await comeAgain(() =>
          postJson<{ valid?: boolean } & Failure>(`${address}/token/verify`, asked),
        );
        must('verify', verified.body.valid === true);
        await forgotPassword(address);
        await sleep(PAUSE_MS);
      }
    });
    const looking = (async () => {
      while (running) {
        must('rows', (await openEverything()) > MAILS);
        looks++;
        await sleep(PAUSE_MS);
      }
    })().catch((error: unknown) => failures.push(error));
    const { code, stdout, output } = await runCommand(['secret-key', 'rotate'], { env: both() });
    running = false;
    await Promise.all([...traffic, looking]);
    expect([output, code]).toEqual([output, 0]);
    expect(failures).toEqual([]);
    expect(looks).toBeGreaterThan(3);
    expect(stdout).toMatch(/^signing_keys\.sealed_private_key: 3 re-encrypted$/m);
    const others = ['invites.code_sealed', 'second_factors.sealed_secret', 'provider_states.sealed'];
    for (const column of [...others, 'sign_in_attempts.request', 'pushed_requests.parameters'])
      expect(stdout).toContain(`${column}: 1 re-encrypted`);
    expect(stdout).toMatch(new RegExp(`^outbox_messages.payload: ${MAILS} re-encrypted$`, 'm'));
    expect(stdout).toContain('You can now remove SECRET_KEY_PREVIOUS');
    expect(await staleIn(KEYS.old)).toEqual([]);
    expect(await staleIn(KEYS.young)).toContain('outbox_messages');
  });

  it('creates an audit entry with the counts and without a key', async () => {
    const entries = await world.sql<{ metadata: { resealed: Record<string, number> }; outcome: string }>(
      `SELECT metadata, outcome FROM audit_entries WHERE action = 'secret_key.rotated'`,
    );
    expect(entries).toEqual([
      {
        outcome: 'success',
        metadata: {
          resealed: expect.objectContaining({
            'signing_keys.sealed_private_key': 3,
            'second_factors.sealed_secret': 1,
          }),
        },
      },
    ]);
    expect(JSON.stringify(entries)).not.toContain(base64(KEYS.young).slice(0, 10));
  });

  it('changes nothing and creates no audit entry on a second run', async () => {
    const again = await runCommand(['secret-key', 'rotate'], { env: both() });
    expect([again.code, again.stdout]).toEqual([0, expect.stringContaining('outbox_messages.payload: 0 re-encrypted')]);
    expect(await world.sql(`SELECT 1 FROM audit_entries WHERE action = 'secret_key.rotated'`)).toHaveLength(1);
  });

  it('lets a service with only the new key sign tokens, accept old tokens and send waiting mails', async () => {
    const user = await world.user(app);
    const token = (await world.tokens(user, app.id)).access_token;
    const waiting = await forgotPassword(pair.addresses[0]);
    const mails = await waitingMails();
    await worker.kill();
    const inbox = await SmtpInbox.start();
    const after = await startHere({ secretKey: KEYS.young, mailUrl: inbox.url, baseUrl: pair.addresses[0] });
    try {
      const address = after.baseUrl;
      const fresh = await postJson<Tokens>(`${address}/auth/login`, { ...user, id: undefined, app_id: app.id });
      for (const each of [token, fresh.body.access_token]) {
        const { body } = await postJson<{ valid: boolean }>(`${address}/token/verify`, {
          token: each,
          audience: app.id,
        });
        expect(body.valid).toBe(true);
      }
      await world.sql('UPDATE outbox_messages SET available_at = now() WHERE done_at IS NULL');
      const arrived = (email: string) => inbox.mails.some(({ recipients }) => recipients.includes(email));
      await eventually('the mails arrive', () => inbox.mails.length >= mails && arrived(waiting), { within: 90_000 });
    } finally {
      await after.close();
      await inbox.stop();
    }
  });

  it('exits with 1 and names a value that neither key can decrypt', async () => {
    await world.sql(
      `INSERT INTO signing_keys (kid, public_jwk, sealed_private_key, activates_at, retires_at) VALUES ('lost', '{}', $1, '2020-01-01', '2020-01-02')`,
      [new SecretBox(randomBytes(32), null, new SystemRandomness()).seal('x', 'signing_keys:lost')],
    );
    const { code, stdout } = await runCommand(['secret-key', 'rotate'], { env: both() });
    expect(code).toBe(1);
    expect(stdout).toContain('signing_keys.sealed_private_key: lost cannot be decrypted with either key');
    expect(stdout).toContain('keep the old keys');
  });
});
