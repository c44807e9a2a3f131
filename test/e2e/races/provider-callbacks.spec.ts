import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { HostedBrowser } from '../../support/hosted-page.js';
import { providerUser, startPath } from '../../support/provider-sign-in.js';
import { ScriptedOpenId } from '../../support/scripted-openid.js';
import { type ServicePair, startPair } from '../../support/service-pair.js';
import { freshDatabase, type TestDatabase } from '../../support/test-database.js';
import { type TestClient, World } from '../../support/world.js';

const REDIRECT = 'https://shop.example/cb';
const ROUNDS = 5;

// security 33, F12; real processes, one database.
describe('Provider callback at two processes', () => {
  let google: ScriptedOpenId;
  let database: TestDatabase;
  let pair: ServicePair;
  let world: World;
  let app: TestClient;

  beforeAll(async () => {
    [google, database] = await Promise.all([ScriptedOpenId.start(), freshDatabase()]);
    const { settings } = google;
    pair = await startPair({
      DATABASE_URL: database.url,
      GOOGLE_CLIENT_ID: settings.clientId,
      GOOGLE_CLIENT_SECRET: settings.clientSecret,
      GOOGLE_AUTHORIZATION_URL: settings.authorizationUrl,
      GOOGLE_TOKEN_URL: settings.tokenUrl,
      GOOGLE_USERINFO_URL: settings.userinfoUrl,
      GOOGLE_ISSUER: settings.issuer,
      GOOGLE_JWKS_URL: settings.jwksUrl,
    });
    world = await World.open(pair.addresses[0], database.url);
    const config = { redirect_uris: [REDIRECT], allowed_providers: ['google'] };
    app = {
      ...(await world.app(await world.tenant(), { registration_policy: 'open', config })),
      redirectUri: REDIRECT,
    };
  });

  afterAll(async () => {
    await world.close();
    await pair.stop();
    await database.drop();
    await google.close();
  });

  /** Everything that a browser needs to come back. */
  const depart = async () => {
    const browser = new HostedBrowser(pair.addresses[0]);
    const sent = new URL((await browser.get(startPath('google', app))).location!).searchParams;
    google.nonce = sent.get('nonce')!;
    return { state: sent.get('state')!, cookie: `browser=${browser.cookie('browser')}` };
  };

  const returnFromProvider = (address: string, { state, cookie }: { state: string; cookie: string }) =>
    fetch(`${address}/oauth/google/callback?code=code&state=${state}`, {
      redirect: 'manual',
      headers: { Cookie: cookie },
    });

  it('sent 32 times with one state creates one identity, one account and one session', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      google.user = providerUser();
      const trip = await depart();
      const answers = await pair.atOnce(32, (address) => returnFromProvider(address, trip));
      expect(answers.filter(({ status }) => status === 302)).toHaveLength(1);
      // 503: the database had no time for a loser on a busy machine; that is no identification either.
      expect(answers.filter(({ status }) => status === 400 || status === 503)).toHaveLength(31);
      expect(
        answers.filter(({ headers }) => headers.getSetCookie().some((line) => line.startsWith('sso='))),
      ).toHaveLength(1);
      const [row] = await world.sql(
        `SELECT count(DISTINCT u.id)::int AS users, count(DISTINCT l.id)::int AS links, count(DISTINCT s.id)::int AS sessions
         FROM users u JOIN linked_accounts l ON l.user_id = u.id JOIN sso_sessions s ON s.user_id = u.id WHERE u.email = $1`,
        [google.user['email']],
      );
      expect(row).toEqual({ users: 1, links: 1, sessions: 1 });
    }
  });

  it('for one new user in eight browsers at once creates one account', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      google.user = providerUser();
      const trips: { state: string; cookie: string; nonce: string }[] = [];
      for (let i = 0; i < 8; i++) trips.push({ ...(await depart()), nonce: google.nonce });
      google.server.on('/token', async ({ form }) => {
        google.nonce = trips[Number(form.get('code'))]!.nonce;
        return google.token();
      });
      const answers = await pair.atOnce(8, (address, index) =>
        fetch(`${address}/oauth/google/callback?code=${index}&state=${trips[index]!.state}`, {
          redirect: 'manual',
          headers: { Cookie: trips[index]!.cookie },
        }),
      );
      const arrived = answers.filter(({ headers }) => headers.get('location')?.startsWith('/sign-in/'));
      // 503: waiting for the first one's transaction took too long on a busy machine.
      const tooLate = answers.filter(({ status }) => status === 503);
      expect(arrived.length).toBeGreaterThan(0);
      expect(arrived.length + tooLate.length).toBe(8);
      google.reset();
      const rows = await world.sql('SELECT 1 FROM users WHERE email = $1', [google.user['email']]);
      const links = await world.sql('SELECT 1 FROM linked_accounts WHERE subject = $1', [google.user['sub']]);
      expect([rows.length, links.length]).toEqual([1, 1]);
    }
  });
});
