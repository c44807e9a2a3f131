import { describe, expect, it } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import type { Request, RequestHandler } from 'express';
import { onClientFixture } from '../../support/client-fixture.js';

interface AuthExpress {
  ExpressAuth(config: object): RequestHandler;
  getSession(request: Request, config: object): Promise<object | null>;
}
interface JwtParts {
  readonly token: object;
  readonly account: { readonly providerAccountId: string } | null;
}
interface SessionParts {
  readonly session: object;
  readonly token: { readonly subject: string };
}
/** Imported without types: they would add the browser's types to the whole project. */
const { ExpressAuth, getSession } = (await import('@auth/express' as string)) as AuthExpress;

/** As Auth.js documents custom providers: client_secret_basic, PKCE, the profile from the ID token. */
describe('Client library @auth/express 0.12', () => {
  const fixture = onClientFixture(async (opened) => {
    const client = await opened.register('/auth/callback/broker', '/');
    const config = {
      secret: randomBytes(32).toString('hex'),
      trustHost: true,
      providers: [
        {
          id: 'broker',
          name: 'Broker',
          type: 'oidc',
          issuer: opened.issuer,
          clientId: client.id,
          clientSecret: client.secret,
        },
      ],
      callbacks: {
        jwt: ({ token, account }: JwtParts) => (account ? { ...token, subject: account.providerAccountId } : token),
        session: ({ session, token }: SessionParts) => ({ ...session, subject: token.subject }),
      },
    };
    const { express } = opened.app;
    express.use('/auth', ExpressAuth(config));
    express.get('/', async (request, response) => void response.json((await getSession(request, config)) ?? {}));
  });
  const signIn = async () => {
    await fixture.page.goto(`${fixture.app.origin}/auth/signin?callbackUrl=/`);
    await fixture.page.click('button:has-text("Broker")');
    await fixture.fillIn();
    await fixture.page.waitForURL(`${fixture.app.origin}/`);
  };

  it('signs in and reads the profile from the ID token', async () => {
    await signIn();
    const { id: subject, email } = fixture.user;
    expect(await fixture.json()).toMatchObject({ subject, user: { name: 'Ada Lovelace', email } });
  });

  it('sends the authorization request with PKCE', async () => {
    const asked = fixture.page.waitForRequest((request) => request.url().startsWith(`${fixture.issuer}/login?`));
    await signIn();
    expect(Object.fromEntries(new URL((await asked).url()).searchParams)).toMatchObject({
      code_challenge_method: 'S256',
      scope: 'openid profile email',
      response_type: 'code',
    });
  });

  it('signs in a second time without showing a page of the service', async () => {
    await signIn();
    await fixture.page.context().clearCookies({ name: 'authjs.session-token' });
    await fixture.page.goto(`${fixture.app.origin}/auth/signin?callbackUrl=/`);
    await fixture.page.click('button:has-text("Broker")');
    await fixture.page.waitForURL(`${fixture.app.origin}/`);
    expect(await fixture.json()).toMatchObject({ subject: fixture.user.id });
  });

  it('signs out of the app', async () => {
    await signIn();
    await fixture.page.goto(`${fixture.app.origin}/auth/signout`);
    await fixture.page.click('#submitButton');
    await fixture.page.waitForURL((url) => !url.pathname.endsWith('/signout'));
    await fixture.page.goto(`${fixture.app.origin}/`);
    expect(await fixture.json()).toEqual({});
  });
});
