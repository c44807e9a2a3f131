import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { HostedBrowser, loginPath } from '../../support/hosted-page.js';
import { expectOne, judged } from '../../support/judged.js';
import { altered, registrationOptions, sendPasskey, SignInPage, TestAuthenticator } from '../../support/passkeys.js';
import { type ServicePair, startPair } from '../../support/service-pair.js';
import { freshDatabase, type TestDatabase } from '../../support/test-database.js';
import { type TestClient, World } from '../../support/world.js';

/** A host for which browsers make passkeys; the processes listen elsewhere, as behind a proxy. */
const ORIGIN = 'http://id.localhost:9';
const ROUNDS = 4;

describe('One passkey used at two processes', () => {
  let database: TestDatabase;
  let pair: ServicePair;
  let world: World;
  let app: TestClient;

  beforeAll(async () => {
    database = await freshDatabase();
    pair = await startPair({ DATABASE_URL: database.url, BASE_URL: ORIGIN, RATE_LIMITS: 'login_ip=100000/900' });
    world = await World.open(pair.addresses[0], database.url);
    app = await world.app(await world.tenant(), { config: { allowed_providers: ['password', 'passkey'] } });
  });

  afterAll(async () => {
    await world.close();
    await pair.stop();
    await database.drop();
  });

  const signedIn = async () => {
    const user = await world.user(app);
    const browser = new HostedBrowser(world.baseUrl);
    await browser.signIn('/account/sign-in', user.email, user.password);
    return { user, browser };
  };
  const withPasskey = async () => {
    const { user, browser } = await signedIn();
    const device = new TestAuthenticator(ORIGIN, { isSynced: false });
    const added = await sendPasskey(browser, device.create(await registrationOptions(browser)));
    expect(added.location).toBe('/account?done=passkey-added');
    return { user, device };
  };
  /** The same form from the same browser, at both processes at once. */
  const twice = (browser: HostedBrowser, path: string, forms: readonly Record<string, string>[]) =>
    pair.atOnce(2, async (address, index) => {
      const answer = await fetch(`${address}${path}`, {
        method: 'POST',
        redirect: 'manual',
        headers: {
          Accept: 'text/html',
          'Content-Type': 'application/x-www-form-urlencoded',
          'Sec-Fetch-Site': 'same-origin',
          Origin: 'null',
          Cookie: browser.cookieHeader(),
        },
        body: new URLSearchParams(forms[index % forms.length]!).toString(),
      });
      await answer.text();
      return answer;
    });

  it('answers one challenge once', async () => {
    const { device } = await withPasskey();
    for (let round = 0; round < ROUNDS; round++) {
      const signIn = await SignInPage.open(new HostedBrowser(world.baseUrl), loginPath(app));
      const form = { form_token: signIn.page.formToken(), credential: device.get(await signIn.options()) };
      expectOne(await twice(signIn.browser, `${signIn.path}/passkey`, [form]), { won: 303, refused: 401 });
    }
  });

  it('counts each use once: of two answers with the same count, one is refused and audited', async () => {
    const { user, device } = await withPasskey();
    const signIn = await SignInPage.open(new HostedBrowser(world.baseUrl), loginPath(app));
    const form_token = signIn.page.formToken();
    const first = device.get(await signIn.options());
    device.count--;
    const second = device.get(await signIn.options());
    const forms = [first, second].map((credential) => ({ form_token, credential }));
    const answers = await twice(signIn.browser, `${signIn.path}/passkey`, forms);
    expectOne(answers, { won: 303, refused: 401 });
    const refused = await world.sql("SELECT 1 FROM audit_entries WHERE action = 'passkey.refused' AND user_id = $1", [
      user.id,
    ]);
    expect(refused).toHaveLength(judged(answers).length - 1);
  });

  it('is added once, whichever challenge it answers', async () => {
    const { user, browser } = await signedIn();
    const device = new TestAuthenticator(ORIGIN);
    const credential = device.create(await registrationOptions(browser));
    const { challenge } = await registrationOptions(browser);
    // Without attestation nothing in the answer is signed.
    const again = altered(credential, ({ clientDataJSON }) => {
      const data = JSON.parse(Buffer.from(clientDataJSON!, 'base64url').toString()) as object;
      return { clientDataJSON: Buffer.from(JSON.stringify({ ...data, challenge })).toString('base64url') };
    });
    const form_token = (await browser.get('/account/passkeys/new')).formToken();
    const forms = [credential, again].map((each) => ({ form_token, credential: each }));
    const statuses = judged(await twice(browser, '/account/passkeys', forms)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 303)).toHaveLength(1);
    expect(statuses.every((status) => status < 500)).toBe(true);
    expect(await world.sql('SELECT 1 FROM passkeys WHERE user_id = $1', [user.id])).toHaveLength(1);
  });
});
