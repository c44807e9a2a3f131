import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { PublicKeyCredentialCreationOptionsJSON } from 'nid-webauthn-emulator';
import { type HostedAnswer, HostedBrowser, loginPath } from '../../support/hosted-page.js';
import { readJwt } from '../../support/jwt-parts.js';
import { type MailingService, startMailingService } from '../../support/mailing-service.js';
import { newInvite } from '../../support/invites.js';
import { newAddress } from '../../support/new-user.js';
import { passkeySettings, SignInPage, TestAuthenticator } from '../../support/passkeys.js';
import type { TestClient, TestTenant, Tokens, World } from '../../support/world.js';

const GOOGLE = 'ea9b8d66-4d01-1d21-3ce4-b6b48cb575d4';

describe('Sign-up with a passkey', () => {
  let mailing: MailingService;
  let world: World;
  let tenant: TestTenant;
  let app: TestClient;

  const appWith = (config: object, at = tenant, registration_policy = 'open') =>
    world.app(at, { registration_policy, config: { allowed_providers: ['password', 'passkey'], ...config } });

  beforeAll(async () => {
    mailing = await startMailingService(await passkeySettings());
    ({ world } = mailing);
    tenant = await world.tenant();
    app = await appWith({});
  });

  afterAll(() => mailing.close());

  /** The page of a new user, as its script uses it. */
  class SignUpPage {
    constructor(
      readonly browser: HostedBrowser,
      readonly page: HostedAnswer,
      readonly email = newAddress(),
      readonly code: string | null = null,
    ) {}

    static async open(at = app, email = newAddress()): Promise<SignUpPage> {
      const browser = new HostedBrowser(world.baseUrl);
      const login = await browser.get(loginPath(at));
      const [, path] = /href="(\/sign-in\/[^"]+\/sign_up)"/.exec(login.body) ?? [];
      if (!path) throw new Error(`No sign-up: ${login.status} ${login.body.slice(0, 300)}`);
      return new SignUpPage(browser, await browser.get(path), email);
    }

    /** With the code of an invite. */
    static async openInvited(at: TestClient, code: string): Promise<SignUpPage> {
      const browser = new HostedBrowser(world.baseUrl);
      const [, path] = /href="(\/sign-in\/[^"]+\/invited_sign_up)"/.exec((await browser.get(loginPath(at))).body)!;
      return new SignUpPage(browser, await browser.get(path!), newAddress(), code);
    }

    ask(fields: Record<string, string> = {}): Promise<HostedAnswer> {
      return this.browser.post(`${this.page.formAction()}/options`, { ...this.fields(), ...fields });
    }

    async options(): Promise<PublicKeyCredentialCreationOptionsJSON> {
      const answer = await this.ask();
      if (answer.status !== 200) throw new Error(`No options: ${answer.status} ${answer.body.slice(0, 300)}`);
      return JSON.parse(answer.body) as PublicKeyCredentialCreationOptionsJSON;
    }

    send(credential: string, fields: Record<string, string> = {}): Promise<HostedAnswer> {
      return this.browser.submit(this.page, { ...this.fields(), with: 'passkey', credential, ...fields });
    }

    async create(device: TestAuthenticator): Promise<HostedAnswer> {
      return this.send(device.create(await this.options()));
    }

    private fields(): Record<string, string> {
      return {
        form_token: this.page.formToken(),
        email: this.email,
        display_name: 'Grace',
        ...(this.code ? { code: this.code } : {}),
      };
    }
  }

  const device = (traits = {}) => new TestAuthenticator(world.baseUrl, traits);
  const accountOf = async (email: string) => {
    const [row] = await world.sql<{ id: string; password_hash: string | null; handle: Buffer; passkeys: number }>(
      `SELECT u.id, u.password_hash, h.handle, (SELECT count(*)::int FROM passkeys WHERE user_id = u.id) AS passkeys
        FROM users u LEFT JOIN passkey_handles h ON h.user_id = u.id WHERE u.email_canonical = $1`,
      [email],
    );
    return row;
  };

  it('creates an account without a password, in the sign-in that the app began', async () => {
    const page = await SignUpPage.open();
    const made = device();
    const options = await page.options();
    const done = await page.send(made.create(options));
    expect(done.location).toMatch(`${app.redirectUri}?code=`);
    const exchange = { code: done.delivered.get('code'), app_id: app.id };
    const { body } = await world.call<Tokens>('POST', '/token/exchange', exchange);
    expect(readJwt(body.access_token).payload['amr']).toEqual(['swk', 'user', 'mfa']);
    const account = (await accountOf(page.email))!;
    expect(account).toMatchObject({ password_hash: null, passkeys: 1 });
    expect(account.handle.toString('base64url')).toBe(options.user.id);
    const entries = await world.sql(
      "SELECT actor_id, metadata ->> 'by' AS by FROM audit_entries WHERE user_id = $1 AND action = 'passkey.added'",
      [account.id],
    );
    expect(entries).toEqual([{ actor_id: account.id, by: 'sign_up' }]);
    await mailing.smtp.next(page.email, 'Confirm your e-mail address');
    const again = await SignInPage.open(new HostedBrowser(world.baseUrl), loginPath(app));
    expect((await again.use(made)).location).toMatch(`${app.redirectUri}?code=`);
  });

  it('asks for the same, whether an account has the address or not', async () => {
    const { email } = await world.user(app);
    const [free, taken] = [await SignUpPage.open(), await SignUpPage.open(app, email)];
    const [one, other] = [await free.options(), await taken.options()];
    const { challenge: _, ...rest } = one;
    expect(other).toEqual({
      ...rest,
      challenge: expect.any(String),
      user: { ...one.user, id: expect.any(String), name: email },
    });
    expect([one.excludeCredentials, Buffer.from(one.user.id, 'base64url').length]).toEqual([[], 64]);
    // The form says it, as it does after a password, and the device may forget the passkey.
    const answer = await taken.send(device().create(other));
    expect([answer.status, answer.body.includes('An account with this address already exists')]).toEqual([400, true]);
    expect(answer.body).toContain('data-passkey-unknown=');
    expect(taken.browser.cookie('sso')).toBeUndefined();
    expect(await accountOf(email)).toMatchObject({ passkeys: 0 });
  });

  it('takes an answer to its own challenge, once', async () => {
    const [one, other] = [await SignUpPage.open(), await SignUpPage.open()];
    const foreign = device().create(await other.options());
    for (const wrong of [foreign, '{}', '']) expect((await one.send(wrong)).status).toBe(400);
    expect(await accountOf(one.email)).toBeUndefined();
    const credential = device().create(await one.options());
    const elsewhere = new TestAuthenticator('http://localhost:1').create(await one.options());
    expect((await one.send(elsewhere)).status).toBe(400);
    const emails = [newAddress(), newAddress()];
    const answers = await Promise.all(emails.map((email) => one.send(credential, { email })));
    expect(answers.filter(({ location }) => location?.startsWith(app.redirectUri))).toHaveLength(1);
    expect((await Promise.all(emails.map(accountOf))).filter(Boolean)).toHaveLength(1);
  });

  it('says what is wrong with the fields before a passkey is made', async () => {
    const page = await SignUpPage.open();
    expect((await page.ask({ email: 'nobody' })).status).toBe(422);
    expect((await page.ask({ display_name: ' ' })).status).toBe(422);
    const answer = await page.send('', { email: 'nobody' });
    expect([answer.status, answer.body.includes('complete e-mail address')]).toEqual([422, true]);
    expect(answer.body).not.toContain('Choose a password');
  });

  it('is the only way at an app with passkeys only, and none at an app without', async () => {
    const only = await appWith({ allowed_providers: ['passkey'] });
    const page = await SignUpPage.open(only);
    expect(page.page.body).not.toContain('id="password"');
    expect((await page.create(device())).location).toMatch(`${only.redirectUri}?code=`);
    const without = await SignUpPage.open(await appWith({ allowed_providers: ['password'] }));
    expect(without.page.body).not.toContain('data-passkey-button');
    expect([(await without.ask()).status, (await without.send('{}')).status]).toEqual([400, 403]);
  });

  it('ends where every sign-up ends: approval, a proven address, a second factor', async () => {
    const approving = await SignUpPage.open(await appWith({}, tenant, 'approval'));
    const waiting = await approving.create(device());
    expect([waiting.status, waiting.location]).toEqual([200, null]);
    const proving = await SignUpPage.open(await appWith({ require_verified_email: true }));
    expect((await proving.create(device())).body).toContain('Confirm your e-mail address');
    const strict = await appWith({ require_2fa: true });
    expect((await (await SignUpPage.open(strict)).create(device())).location).toMatch('?code=');
    const weak = await (await SignUpPage.open(strict)).create(device({ isVerified: false, isSynced: false }));
    expect([weak.location, weak.body.includes('authenticator app')]).toEqual([null, true]);
  });

  it('takes the models that the tenant accepts only', async () => {
    const choosy = await world.tenant({ passkey_aaguids: [GOOGLE] });
    const at = await appWith({}, choosy);
    const page = await SignUpPage.open(at);
    expect(await page.options()).toMatchObject({ attestation: 'direct' });
    const refused = await page.create(device());
    expect([refused.status, refused.body.includes('only passkeys on certain devices')]).toEqual([409, true]);
    expect((await page.create(device({ aaguid: GOOGLE }))).location).toMatch(`${at.redirectUri}?code=`);
  });

  describe('by an invite', () => {
    const invited = async (config = {}) => {
      const at = await appWith(config, tenant, 'invite');
      const { id, code } = await newInvite(world, at);
      return { at, id, code };
    };

    it('creates an account without a password, and uses the invite', async () => {
      const { at, id, code } = await invited();
      const page = await SignUpPage.openInvited(at, code);
      const made = device();
      const done = await page.create(made);
      const exchange = { code: done.delivered.get('code'), app_id: at.id };
      const { body } = await world.call<Tokens>('POST', '/token/exchange', exchange);
      expect(readJwt(body.access_token).payload['amr']).toEqual(['swk', 'user', 'mfa']);
      expect(await accountOf(page.email)).toMatchObject({ password_hash: null, passkeys: 1 });
      expect(await world.sql('SELECT use_count FROM invites WHERE id = $1', [id])).toEqual([{ use_count: 1 }]);
      await mailing.smtp.next(page.email, 'Confirm your e-mail address');
      const again = await SignInPage.open(new HostedBrowser(world.baseUrl), loginPath(at));
      expect((await again.use(made)).location).toMatch(`${at.redirectUri}?code=`);
    });

    it('creates nothing with a wrong code, or from another attempt’s challenge, and the device may forget it', async () => {
      const { at, code } = await invited();
      const wrong = await SignUpPage.openInvited(at, 'AAAAA-AAAAA-AAA');
      const answer = await wrong.create(device());
      expect([answer.status, answer.body.includes('data-passkey-unknown=')]).toEqual([400, true]);
      expect(await accountOf(wrong.email)).toBeUndefined();
      const [one, other] = [await SignUpPage.openInvited(at, code), await SignUpPage.openInvited(at, code)];
      expect((await one.send(device().create(await other.options()))).status).toBe(400);
      expect(await accountOf(one.email)).toBeUndefined();
    });

    it('is the only way at an app with passkeys only, and none at an app without', async () => {
      const only = await invited({ allowed_providers: ['passkey'] });
      const page = await SignUpPage.openInvited(only.at, only.code);
      expect(page.page.body).not.toContain('>Create account</button>');
      expect((await page.send('', { with: '' })).status).toBe(400);
      expect((await page.create(device())).location).toMatch(`${only.at.redirectUri}?code=`);
      const without = await invited({ allowed_providers: ['password'] });
      const plain = await SignUpPage.openInvited(without.at, without.code);
      expect(plain.page.body).not.toContain('data-passkey-button');
      expect([(await plain.ask()).status, (await plain.send('{}')).status]).toEqual([400, 403]);
    });
  });
});
