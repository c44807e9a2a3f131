import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ProofGuard } from '../../../src/users/proof-guard.js';
import { sendForm, visitAccount } from '../../support/account-visitor.js';
import { codeAt } from '../../support/authenticator.js';
import { newCode } from '../../support/one-time-code.js';
import { HostedBrowser, loginPath } from '../../support/hosted-page.js';
import { PausedProofs } from '../../support/paused-proofs.js';
import {
  type ProofEndpoint,
  PROOF_ENDPOINTS,
  fromGoogle,
  linkGoogle,
  type ProofFixture,
} from '../../support/proof-endpoints.js';
import { providerUser, startPath } from '../../support/provider-sign-in.js';
import { enroll, secretOn, totpSession, verify } from '../../support/second-factor.js';
import { ScriptedOpenId } from '../../support/scripted-openid.js';
import { startTestApp } from '../../support/test-app.js';
import { type Answer, type TestUser, type TestClient, unique, World } from '../../support/world.js';

const ISSUED = [
  'sso_sessions',
  'refresh_families',
  'authorization_codes',
  'totp_challenges',
  'console_sessions',
  'enrollments',
];

describe('Sign-in proof', () => {
  let fixture: ProofFixture;
  let proofs: PausedProofs;

  beforeAll(async () => {
    const google = await ScriptedOpenId.start();
    const providers = { google: google.settings, microsoft: null, github: null, apple: null };
    const service = await startTestApp({ settings: { providers }, override: (builder) => PausedProofs.into(builder) });
    const world = await World.open(service.baseUrl, service.settings.databaseUrl!);
    const tenant = await world.tenant();
    const redirect_uris = ['https://shop.example/cb'];
    const allowed_providers = ['password', 'magic_link', 'google'];
    const app = await world.app(tenant, { config: { redirect_uris, allowed_providers } });
    const strictApp = await world.app(tenant, { config: { require_2fa: true } });
    fixture = { service, world, app: { ...app, redirectUri: redirect_uris[0]! }, strictApp, google };
    proofs = service.nest.get<PausedProofs>(ProofGuard, { strict: false });
  });

  afterAll(async () => {
    await fixture.world.close();
    await fixture.service.close();
    await fixture.google.close();
  });

  /** What the user has been given so far, and their ways in. */
  const given = async ({ id }: TestUser) => {
    const counts = [...ISSUED, 'linked_accounts', 'second_factors WHERE confirmed_at IS NOT NULL AND']
      .map((table) => (table.endsWith('AND') ? table : `${table} WHERE`))
      .map((from) => `(SELECT count(*) FROM ${from} user_id = $1)`);
    return (await fixture.world.sql(`SELECT ARRAY[${counts.join(', ')}]::int[] AS counts`, [id]))[0]![
      'counts'
    ] as number[];
  };

  /** The endpoint's request, with the change made while it stands between its two halves. */
  const interrupt = async (
    endpoint: ProofEndpoint,
    change: (user: TestUser) => Promise<unknown>,
  ): Promise<Answer<unknown>> => {
    const pause = proofs.pause(endpoint.user.id);
    const answer = endpoint.enter();
    await Promise.race([pause.reached, answer.then(() => Promise.reject(new Error('It did not ask for the proof')))]);
    await change(endpoint.user);
    pause.goOn();
    return answer;
  };

  const CHANGES: Readonly<Record<string, (user: TestUser) => Promise<unknown>>> = {
    'an administrator sets the password': ({ id }) =>
      fixture.world.asAdmin('PUT', `/admin/users/${id}/password`, { new_password: `another ${unique()}` }),
    'the stored password changes by itself': ({ id }) =>
      fixture.world.sql(`UPDATE users SET password_hash = password_hash || ' ' WHERE id = $1`, [id]),
    'the second factor comes or goes': ({ id }) =>
      fixture.world.sql(
        `UPDATE users SET totp_enabled_at = CASE WHEN totp_enabled_at IS NULL THEN now() END WHERE id = $1`,
        [id],
      ),
    'everything is ended': ({ id }) =>
      fixture.world.sql('UPDATE users SET tokens_valid_from = clock_timestamp() WHERE id = $1', [id]),
    'the account is switched off': ({ id }) =>
      fixture.world.sql('UPDATE users SET is_active = false WHERE id = $1', [id]),
  };

  describe.each(Object.keys(PROOF_ENDPOINTS))('at %s', (name) => {
    it.each(Object.keys(CHANGES))('is worthless when %s', async (change) => {
      const endpoint = await PROOF_ENDPOINTS[name]!(fixture);
      const before = await given(endpoint.user);
      endpoint.refused(await interrupt(endpoint, CHANGES[change]!));
      expect(await given(endpoint.user)).toEqual(before);
    });

    it('completes the sign-in if nothing has changed', async () => {
      const endpoint = await PROOF_ENDPOINTS[name]!(fixture);
      const before = await given(endpoint.user);
      const answer = await interrupt(endpoint, () => Promise.resolve());
      expect(() => endpoint.refused(answer)).toThrow();
      // A user who has to set up a second factor gets a token, which has no row.
      if (name !== 'a password over JSON, where a second factor is demanded')
        expect(await given(endpoint.user)).not.toEqual(before);
    });
  });

  it('that is too old for an account form: the form leads to the sign-in and back', async () => {
    const { world } = fixture;
    const user = await world.user(fixture.app);
    const browser = await visitAccount(world, user);
    const form = await browser.get('/account/second-factor');
    const fields = { form_token: form.formToken(), code: codeAt(secretOn(form)) };
    const enter = () => browser.post('/account/second-factor', fields);
    const endpoint = { user, enter, refused: () => undefined };
    const answer = await interrupt(endpoint, CHANGES['the stored password changes by itself']!);
    expect([answer.status, answer.headers.get('cache-control')]).toEqual([303, 'no-store']);
    await world.sql('UPDATE users SET password_hash = trim(password_hash) WHERE id = $1', [user.id]);
    const end = await browser.signIn(answer.headers.get('location')!, user.email, user.password);
    expect(end.location).toBe(`${world.baseUrl}/account/second-factor`);
    expect((await browser.get('/account/second-factor')).status).toBe(200);
  });

  describe('and “Sign out everywhere else” in another browser:', () => {
    const endOthers = async (browser: HostedBrowser) => {
      const answer = await sendForm(browser, '/account/sessions/end-others');
      expect(answer.location).toBe('/account?done=signed-out-elsewhere');
    };

    it.each([
      'a password over JSON',
      'a password on the hosted page',
      'the end of a hosted sign-in',
      'a one-time code at its exchange',
      'an external provider',
    ])('it ends the sign-in in progress: %s', async (name) => {
      const endpoint = await PROOF_ENDPOINTS[name]!(fixture);
      const elsewhere = await visitAccount(fixture.world, endpoint.user);
      const before = await given(endpoint.user);
      endpoint.refused(await interrupt(endpoint, () => endOthers(elsewhere)));
      // The session of the other browser is among them before and after; whatever else there was has ended.
      const after = await given(endpoint.user);
      expect(after.map((count, at) => count <= before[at]!)).not.toContain(false);
    });

    it('it ends sign-ins waiting for a second-factor code, over JSON and on the hosted page', async () => {
      const { world, app } = fixture;
      const user = await world.user(app);
      const { secret, backupCodes } = await enroll(world, user, app.id);
      const elsewhere = new HostedBrowser(world.baseUrl);
      const asked = await elsewhere.signIn('/account/sign-in', user.email, user.password);
      await elsewhere.submit(asked, { code: backupCodes[0]! });
      const session = await totpSession(world, user, app.id);
      const browser = new HostedBrowser(world.baseUrl);
      const waiting = await browser.signIn(loginPath(app), user.email, user.password);
      await endOthers(elsewhere);
      const answer = await verify(world, session, codeAt(secret));
      expect([answer.status, answer.body.detail]).toEqual([400, 'Invalid or expired TOTP session']);
      const shown = await browser.submit(waiting, { code: backupCodes[1]! });
      expect(shown.body).toContain('Your account changed while you were signing in. Sign in again.');
      expect((await elsewhere.get('/account')).status).toBe(200);
    });
  });

  describe('and a linked account that is removed in another browser:', () => {
    /** Signed in at the provider with the linked account, as far as the second factor. */
    const half = async () => {
      const { world, app, google } = fixture;
      const user = await world.user(app, { email_verified: true });
      const { backupCodes } = await enroll(world, user, app.id);
      google.user = { ...providerUser(), sub: `sub-${unique()}` };
      const linked = await linkGoogle(world, user, google.user['sub'] as string);
      const elsewhere = new HostedBrowser(world.baseUrl);
      const asked = await elsewhere.signIn('/account/sign-in', user.email, user.password);
      await elsewhere.submit(asked, { code: backupCodes[0]! });
      const browser = new HostedBrowser(world.baseUrl);
      const back = await browser.get(await fromGoogle(fixture, browser, startPath('google', app)));
      const waiting = await browser.get(back.location!);
      const remove = () => sendForm(elsewhere, `/account/linked-accounts/${linked}/remove`);
      return { user, browser, elsewhere, waiting, remove, code: backupCodes[1]! };
    };

    it('ends the sign-in with it that waits for a second-factor code, and keeps the session', async () => {
      const { browser, elsewhere, waiting, remove, code } = await half();
      expect((await remove()).location).toBe('/account?done=unlinked');
      const shown = await browser.submit(waiting, { code });
      expect(shown.body).toContain('Your account changed while you were signing in. Sign in again.');
      expect((await elsewhere.get('/account')).status).toBe(200);
    });

    it('does not end the sign-in while it is linked', async () => {
      const { browser, waiting, code } = await half();
      expect((await browser.submit(waiting, { code })).delivered.get('code')).not.toBeNull();
    });

    it('ends a sign-in that comes back from the provider at the same moment', async () => {
      const { world, app, google } = fixture;
      const user = await world.user(app, { email_verified: true });
      google.user = { ...providerUser(), sub: `sub-${unique()}` };
      const linked = await linkGoogle(world, user, google.user['sub'] as string);
      const browser = new HostedBrowser(world.baseUrl);
      const path = await fromGoogle(fixture, browser, startPath('google', app));
      const elsewhere = await visitAccount(world, user);
      const endpoint = { user, enter: () => browser.get(path), refused: () => undefined };
      const answer = await interrupt(endpoint, () => sendForm(elsewhere, `/account/linked-accounts/${linked}/remove`));
      expect([answer.status, answer.body]).toEqual([
        403,
        expect.stringContaining('Your account has changed since you began to sign in.'),
      ]);
    });
  });

  describe('of an account deleted in the meantime', () => {
    it.each(['a password over JSON', 'a password on the hosted page', 'a second factor over JSON'])(
      'is worthless at %s',
      async (name) => {
        const endpoint = await PROOF_ENDPOINTS[name]!(fixture);
        endpoint.refused(
          await interrupt(endpoint, ({ id }) => fixture.world.sql('DELETE FROM users WHERE id = $1', [id])),
        );
      },
    );
  });

  describe('of a membership that ends in the meantime', () => {
    const suspend = ({ id }: TestUser) =>
      fixture.world.asAdmin('POST', `/admin/users/${id}/suspend?app_id=${fixture.app.id}`);
    const remove = ({ id }: TestUser) => fixture.world.sql('DELETE FROM enrollments WHERE user_id = $1', [id]);
    const families = async ({ id }: TestUser) =>
      (await fixture.world.sql('SELECT id FROM refresh_families WHERE user_id = $1', [id])).length;
    const codes = async ({ id }: TestUser) =>
      (await fixture.world.sql('SELECT 1 FROM authorization_codes WHERE user_id = $1', [id])).length;

    it('by suspension: a password over JSON returns the suspension error', async () => {
      const endpoint = await PROOF_ENDPOINTS['a password over JSON']!(fixture);
      const answer = await interrupt(endpoint, suspend);
      expect([answer.status, answer.body]).toEqual([403, { detail: 'Account suspended' }]);
      expect(await families(endpoint.user)).toBe(0);
    });

    it('by removal: a password over JSON returns the error for non-members', async () => {
      const endpoint = await PROOF_ENDPOINTS['a password over JSON']!(fixture);
      const answer = await interrupt(endpoint, remove);
      expect([answer.status, answer.body]).toEqual([403, { detail: 'You do not have access' }]);
      expect(await families(endpoint.user)).toBe(0);
    });

    it.each([
      ['suspension', suspend],
      ['removal', remove],
    ])('by %s: a one-time code is not exchanged', async (_, change) => {
      const endpoint = await PROOF_ENDPOINTS['a one-time code at its exchange']!(fixture);
      endpoint.refused(await interrupt(endpoint, change));
      expect(await families(endpoint.user)).toBe(0);
    });

    it('by suspension: the hosted sign-in sends an error to the app', async () => {
      const endpoint = await PROOF_ENDPOINTS['the end of a hosted sign-in']!(fixture);
      const answer = await interrupt(endpoint, suspend);
      expect(answer.headers.get('location')).toContain('error=account_suspended');
      expect(await families(endpoint.user)).toBe(0);
    });

    it('by removal: the hosted sign-in ends on a page that explains it', async () => {
      const endpoint = await PROOF_ENDPOINTS['the end of a hosted sign-in']!(fixture);
      const answer = await interrupt(endpoint, remove);
      expect([answer.status, answer.body]).toEqual([200, expect.stringContaining('invite')]);
      expect(await codes(endpoint.user)).toBe(0);
    });

    it.each([
      ['suspension', suspend, 'Account suspended'],
      ['removal', remove, 'You do not have access'],
    ])('by %s: a sign-in waiting for a second-factor code is rejected', async (_, change, detail) => {
      const endpoint = await PROOF_ENDPOINTS['a second factor over JSON']!(fixture);
      const before = await families(endpoint.user);
      await change(endpoint.user);
      const answer = await endpoint.enter();
      expect([answer.status, answer.body]).toEqual([403, { detail }]);
      expect(await families(endpoint.user)).toBe(before);
    });
  });

  describe('some minutes old', () => {
    let member: TestUser;
    let openApp: TestClient;

    beforeAll(async () => {
      openApp = await fixture.world.app(await fixture.world.tenant(), { registration_policy: 'open' });
      member = await fixture.world.user();
    });

    /** Signed in as far as the question whether they want to join. */
    const half = async (): Promise<{ browser: HostedBrowser; address: string; token: string }> => {
      const browser = new HostedBrowser(fixture.world.baseUrl);
      const form = await browser.signIn(loginPath(openApp), member.email, member.password);
      expect(form.formAction()).toMatch(/\/join$/);
      return { browser, address: form.formAction(), token: form.formToken() };
    };

    it.each(['the second factor comes or goes', 'everything is ended'])(
      'restarts a sign-in waiting for a click when %s',
      async (change) => {
        const { browser, address, token } = await half();
        await CHANGES[change]!(member);
        await browser.post(address, { form_token: token });
        const shown = await browser.get(address.replace(/\/join$/, ''));
        expect(shown.body).toContain('Your account changed while you were signing in. Sign in again.');
        await fixture.world.sql('UPDATE users SET totp_enabled_at = NULL WHERE id = $1', [member.id]);
      },
    );

    it('from before a reset: a one-time code is rejected', async () => {
      const user = await fixture.world.user(fixture.app);
      const code = await newCode(fixture.world, fixture.app, user);
      await CHANGES['an administrator sets the password']!(user);
      const answer = await fixture.world.call('POST', '/token/exchange', { code, app_id: fixture.app.id });
      expect([answer.status, answer.body['detail']]).toEqual([400, 'Invalid or expired code']);
    });
  });
});
