import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomBytes, randomInt, randomUUID } from 'node:crypto';
import { ageSignIns, sendForm, visitAccount, wordsOf } from '../../support/account-visitor.js';
import { type MailingService, startMailingService } from '../../support/mailing-service.js';
import {
  addPasskey,
  altered,
  passkeySettings,
  registrationOptions,
  sendPasskey,
  SignInPage,
  TestAuthenticator,
} from '../../support/passkeys.js';
import { eventually } from '../../support/wait.js';
import { HostedBrowser } from '../../support/hosted-page.js';
import { linkIn } from '../../support/smtp.js';
import type { TestUser, TestClient, World } from '../../support/world.js';

const ADDED = '/account?done=passkey-added';

describe('Passkeys on the account page', () => {
  let mailing: MailingService;
  let world: World;
  let app: TestClient;
  let origin: string;

  beforeAll(async () => {
    mailing = await startMailingService(await passkeySettings());
    ({ world } = mailing);
    origin = world.baseUrl;
    app = await world.app(await world.tenant());
  });

  afterAll(() => mailing.close());

  interface Row {
    readonly id: string;
    readonly name: string | null;
    readonly is_synced: boolean;
  }
  const passkeysOf = (user: TestUser) =>
    world.sql<Row>('SELECT id, name, is_synced FROM passkeys WHERE user_id = $1 ORDER BY created_at', [user.id]);
  const actions = async (user: TestUser) =>
    (
      await world.sql<{ action: string }>(
        "SELECT action FROM audit_entries WHERE user_id = $1 AND action LIKE 'passkey.%' ORDER BY created_at",
        [user.id],
      )
    ).map(({ action }) => action);
  const begun = async () => {
    const user = await world.user(app);
    const browser = await visitAccount(world, user);
    return { user, browser, options: await registrationOptions(browser) };
  };
  const refused = async (user: TestUser, browser: HostedBrowser, credential: string) => {
    const answer = await sendPasskey(browser, credential);
    expect([answer.status, wordsOf(answer).includes('could not be added')]).toEqual([400, true]);
    expect(await passkeysOf(user)).toEqual([]);
  };

  /** What the page tells password managers. */
  const signalsOf = async (browser: HostedBrowser) => {
    const [, json] = /data-passkey-signals="([^"]*)"/.exec((await browser.get('/account')).body)!;
    return JSON.parse(json!.replaceAll('&quot;', '"').replaceAll('&#x3D;', '=')) as object;
  };

  it('are added, renamed and removed, with audit entries, and a mail about each that opens or closes something', async () => {
    const user = await world.user(app);
    expect(wordsOf(await (await visitAccount(world, user)).get('/account'))).toContain('Add a passkey');
    const aaguid = 'ea9b8d66-4d01-1d21-3ce4-b6b48cb575d4';
    const browser = await addPasskey(world, user, new TestAuthenticator(origin, { aaguid }));
    const page = wordsOf(await browser.get(ADDED));
    expect(page).toContain('Your passkey was added.');
    expect(page).toMatch(/Google Password Manager .* · added just now · not used yet/);
    const mail = await mailing.smtp.next(user.email, 'Your passkeys were changed');
    expect(mail.text).toContain('A passkey was added to your account (Google Password Manager).');
    const [{ id }] = (await passkeysOf(user)) as [Row];

    const empty = await sendForm(browser, `/account/passkeys/${id}`, { name: ' ' });
    expect([empty.status, wordsOf(empty).includes('Enter a name')]).toEqual([422, true]);
    const renamed = await sendForm(browser, `/account/passkeys/${id}`, { name: '<b>Phone</b>' });
    expect(renamed.location).toBe('/account?done=passkey-renamed');
    expect((await browser.get('/account')).body).toContain('&lt;b&gt;Phone&lt;/b&gt;');
    expect(await signalsOf(browser)).toMatchObject({
      rpId: 'localhost',
      allAcceptedCredentialIds: [expect.any(String)],
      name: user.email,
    });
    expect(wordsOf(await browser.get(`/account/passkeys/${id}`))).not.toContain('your last passkey');

    const removed = await sendForm(browser, `/account/passkeys/${id}/remove`);
    expect(removed.location).toBe('/account?done=passkey-removed');
    await eventually('a mail about the removal', () =>
      mailing.smtp.to(user.email).find(({ text }) => text?.includes('A passkey was removed from your account.')),
    );
    expect(await passkeysOf(user)).toEqual([]);
    expect(await signalsOf(browser)).toMatchObject({ allAcceptedCredentialIds: [] });
    expect(await actions(user)).toEqual(['passkey.added', 'passkey.renamed', 'passkey.removed']);
    expect(wordsOf(await browser.get('/account/activity'))).toContain('You removed a passkey');
  });

  it('ask for the least: a random handle for all tenants, no attestation, three algorithms', async () => {
    const { user, options } = await begun();
    const other = await registrationOptions(await visitAccount(world, user));
    expect(options).toMatchObject({
      rp: { id: 'localhost' },
      attestation: 'none',
      timeout: 300_000,
      authenticatorSelection: { residentKey: 'required', userVerification: 'preferred' },
      pubKeyCredParams: [-7, -8, -257].map((alg) => ({ alg, type: 'public-key' })),
    });
    expect(Buffer.from(options.user.id, 'base64url')).toHaveLength(64);
    expect(other.user.id).toBe(options.user.id);
    expect(other.challenge).not.toBe(options.challenge);
    expect(options.user.id).not.toContain(user.id);
  });

  it.each(['ES256', 'EdDSA', 'RS256'] as const)('are accepted with a key for %s', async (algorithm) => {
    const { user, browser, options } = await begun();
    const device = new TestAuthenticator(origin, { algorithm });
    expect((await sendPasskey(browser, device.create(options))).location).toBe(ADDED);
    expect(await passkeysOf(user)).toHaveLength(1);
  });

  it('are refused with a key for an algorithm that was not asked for', async () => {
    const { user, browser, options } = await begun();
    const credential = JSON.parse(new TestAuthenticator(origin).create(options)) as Record<string, never>;
    const object = Buffer.from(credential['response']!['attestationObject'], 'base64url');
    // COSE: 3 (alg): -7 becomes -36 (ES512).
    const at = object.indexOf(Buffer.from('03260120'.slice(0, 4), 'hex'), 100);
    const changed = Buffer.concat([object.subarray(0, at + 1), Buffer.from([0x38, 0x23]), object.subarray(at + 2)]);
    await refused(
      user,
      browser,
      altered(JSON.stringify(credential), () => ({ attestationObject: changed.toString('base64url') })),
    );
  });

  it('are refused from another origin and for another RP ID', async () => {
    const elsewhere = await begun();
    const forged = new TestAuthenticator('http://localhost:1').create(elsewhere.options);
    await refused(elsewhere.user, elsewhere.browser, forged);
    const foreign = await begun();
    const site = new TestAuthenticator('https://evil.example');
    const made = site.create({ ...foreign.options, rp: { ...foreign.options.rp, id: 'evil.example' } });
    const claimed = altered(made, ({ clientDataJSON }) => {
      const data = JSON.parse(Buffer.from(clientDataJSON!, 'base64url').toString()) as object;
      return { clientDataJSON: Buffer.from(JSON.stringify({ ...data, origin })).toString('base64url') };
    });
    await refused(foreign.user, foreign.browser, claimed);
  });

  it('answer a challenge of this session only, once, within five minutes', async () => {
    const [one, other] = [await begun(), await begun()];
    const device = new TestAuthenticator(origin);
    await refused(one.user, one.browser, device.create({ ...one.options, challenge: other.options.challenge }));
    // The try by another session has not spent it.
    const own = device.create(other.options);
    expect((await sendPasskey(other.browser, own)).location).toBe(ADDED);
    expect((await sendPasskey(other.browser, own)).status).toBe(400);
    expect(await passkeysOf(other.user)).toHaveLength(1);
    const late = await begun();
    await world.sql(
      "UPDATE passkey_challenges SET expires_at = now() - interval '1 second' WHERE bound_to LIKE 'register:%'",
    );
    await refused(late.user, late.browser, device.create(late.options));
  });

  it('spend a challenge also with a wrong answer, and give it to one of many requests at once', async () => {
    const wrong = await begun();
    await refused(wrong.user, wrong.browser, new TestAuthenticator('http://localhost:1').create(wrong.options));
    await refused(wrong.user, wrong.browser, new TestAuthenticator(origin).create(wrong.options));
    const { user, browser, options } = await begun();
    const form_token = (await browser.get('/account/passkeys/new')).formToken();
    const device = new TestAuthenticator(origin);
    const answers = await Promise.all(
      Array.from({ length: 8 }, () =>
        browser.post('/account/passkeys', { form_token, credential: device.create(options) }),
      ),
    );
    expect(answers.filter(({ location }) => location === ADDED)).toHaveLength(1);
    expect(await passkeysOf(user)).toHaveLength(1);
  });

  it('are not taken from another person, and one device is added once', async () => {
    const [one, other] = [await begun(), await begun()];
    const device = new TestAuthenticator(origin);
    const credential = device.create(one.options);
    expect((await sendPasskey(one.browser, credential)).location).toBe(ADDED);
    const again = await registrationOptions(one.browser);
    expect(again.excludeCredentials?.map(({ id }) => id)).toEqual([(JSON.parse(credential) as { id: string }).id]);
    const [{ id }] = (await passkeysOf(one.user)) as [Row];
    for (const path of [`/account/passkeys/${id}`, `/account/passkeys/${id}/remove`])
      expect((await sendForm(other.browser, path, { name: 'Mine' })).status).toBe(404);
    expect((await other.browser.get(`/account/passkeys/${id}`)).status).toBe(404);
    expect((await other.browser.get(`/account/passkeys/${randomUUID()}`)).status).toBe(404);
    expect((await passkeysOf(one.user))[0]!.name).toBeNull();
  });

  it('have an address that password managers know', async () => {
    const endpoints = await world.call('GET', '/.well-known/passkey-endpoints');
    expect(endpoints.body).toEqual({ enroll: `${origin}/account/passkeys/new`, manage: `${origin}/account#passkeys` });
  });

  it('are at most twenty', async () => {
    const { user, browser, options } = await begun();
    const insert = `INSERT INTO passkeys (id, user_id, rp_id, credential_id, public_key, sign_count, aaguid, transports, is_synced, is_backed_up)
      SELECT gen_random_uuid(), $1, 'localhost', decode(md5(random()::text), 'hex'), '', 0, gen_random_uuid(), '{}', true, true
      FROM generate_series(1, 20) n`;
    await world.sql(insert, [user.id]);
    const full = await sendPasskey(browser, new TestAuthenticator(origin).create(options));
    expect([full.status, wordsOf(full).includes('You have 20 passkeys')]).toEqual([409, true]);
    expect(await passkeysOf(user)).toHaveLength(20);
  });

  it('are added and removed only within five minutes of the sign-in', async () => {
    const { user, browser, options } = await begun();
    const form_token = (await browser.get('/account/passkeys/new')).formToken();
    await ageSignIns(world, user.id, 301);
    const credential = new TestAuthenticator(origin).create(options);
    const answers = [
      await browser.get('/account/passkeys/new'),
      await browser.post('/account/passkeys/options', { form_token }),
      await browser.post('/account/passkeys', { form_token, credential }),
    ];
    expect(answers.map(({ location }) => location)).toEqual(
      Array.from({ length: 3 }, () => '/account/sign-in?fresh=1&to=passkeys%2Fnew'),
    );
    expect(await passkeysOf(user)).toEqual([]);
  });

  it('are asked for after a mailed sign-in link as well, where two factors are demanded', async () => {
    const config = { allowed_providers: ['magic_link', 'passkey'], require_2fa: true };
    const demanding = await world.app(await world.tenant(), { config });
    const user = await world.user(demanding);
    const device = new TestAuthenticator(origin);
    await addPasskey(world, user, device);
    await world.call('POST', '/auth/magic-link/request', { email: user.email, app_id: demanding.id });
    const { token } = linkIn(await mailing.smtp.next(user.email, 'Your sign-in link'));
    const browser = new HostedBrowser(world.baseUrl);
    let page = await browser.useMagicLink(token);
    for (let hops = 0; page.location?.startsWith('/') && hops < 5; hops++) page = await browser.get(page.location);
    expect([page.location, wordsOf(page)]).toEqual([null, expect.stringContaining('Confirm with your passkey')]);
    const path = /\/sign-in\/[0-9a-f-]{36}/.exec(page.body)![0];
    const end = await (await SignInPage.open(browser, path)).use(device, 'second_factor');
    expect(end.location).toMatch(`${demanding.redirectUri}?code=`);
  });

  it('say before the removal when nothing else is left', async () => {
    const user = await world.user(app);
    const browser = await addPasskey(world, user, new TestAuthenticator(origin));
    const [{ id }] = (await passkeysOf(user)) as [Row];
    // With a trigger that counts the change as a new version of the account, the session stays.
    await world.sql('UPDATE users SET password_hash = NULL WHERE id = $1', [user.id]);
    expect(wordsOf(await browser.get(`/account/passkeys/${id}`))).toContain('This is your last passkey');
  });

  it('end with the account that they open, and with one whose mailbox another person proves', async () => {
    const user = await world.user(app);
    await addPasskey(world, user, new TestAuthenticator(origin));
    expect(await world.asAdmin('GET', `/admin/users/${user.id}/impact`)).toMatchObject({ passkeys: 1 });
    await world.asAdmin('DELETE', `/admin/users/${user.id}`);
    expect(await world.sql('SELECT 1 FROM passkey_handles WHERE user_id = $1', [user.id])).toEqual([]);
    expect(await passkeysOf(user)).toEqual([]);
  });

  it('never answer hostile credentials with a server error', async () => {
    const { browser, options } = await begun();
    const form_token = (await browser.get('/account/passkeys/new')).formToken();
    const good = new TestAuthenticator(origin).create(options);
    const object = Buffer.from(
      (JSON.parse(good) as { response: { attestationObject: string } }).response.attestationObject,
      'base64url',
    );
    const clientData = (challenge: string) =>
      Buffer.from(JSON.stringify({ type: 'webauthn.create', challenge, origin })).toString('base64url');
    const flipped = () => {
      const copy = Buffer.from(object);
      for (let times = 0; times < 3; times++) copy[randomInt(copy.length)] = randomInt(256);
      return copy.subarray(0, randomInt(10) === 0 ? randomInt(copy.length) : copy.length);
    };
    const statuses = new Set<number>();
    for (let round = 0; round < 60; round++) {
      const challenge = randomBytes(32);
      await world.sql(
        `INSERT INTO passkey_challenges (challenge, bound_to, expires_at)
         SELECT $1, 'register:' || id, now() + interval '1 minute' FROM sso_sessions ORDER BY created_at DESC LIMIT 1`,
        [challenge],
      );
      const credential = altered(good, () => ({
        attestationObject: flipped().toString('base64url'),
        clientDataJSON: clientData(challenge.toString('base64url')),
      }));
      statuses.add((await browser.post('/account/passkeys', { form_token, credential })).status);
    }
    const shapes = [
      '',
      'null',
      '[]',
      '{}',
      '{"response":{}}',
      '{"type":"public-key","id":"AA","response":null}',
      'x'.repeat(20_000),
    ];
    for (const credential of shapes)
      statuses.add((await browser.post('/account/passkeys', { form_token, credential })).status);
    expect([...statuses].filter((status) => ![400, 303, 409].includes(status))).toEqual([]);
    expect((await browser.post('/account/passkeys', { form_token: 'x', credential: good })).status).toBe(403);
  });
});
