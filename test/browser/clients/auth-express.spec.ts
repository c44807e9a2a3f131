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
  const stage = onClientFixture(async (opened) => {
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
    await stage.page.goto(`${stage.app.origin}/auth/signin?callbackUrl=/`);
    await stage.page.click('button:has-text("Broker")');
    await stage.fillIn();
    await stage.page.waitForURL(`${stage.app.origin}/`);
  };

  it('signs in and reads the profile from the ID token', async () => {
    await signIn();
    const { id: subject, email } = stage.user;
    expect(await stage.json()).toMatchObject({ subject, user: { name: 'Ada Lovelace', email } });
  });

  it('sends the authorization request with PKCE', async () => {
    const asked = stage.page.waitForRequest((request) => request.url().startsWith(`${stage.issuer}/login?`));
    await signIn();
    expect(Object.fromEntries(new URL((await asked).url()).searchParams)).toMatchObject({
      code_challenge_method: 'S256',
      scope: 'openid profile email',
      response_type: 'code',
    });
  });

  it('signs in a second time without showing a page of the service', async () => {
    await signIn();
    await stage.page.context().clearCookies({ name: 'authjs.session-token' });
    await stage.page.goto(`${stage.app.origin}/auth/signin?callbackUrl=/`);
    await stage.page.click('button:has-text("Broker")');
    await stage.page.waitForURL(`${stage.app.origin}/`);
    expect(await stage.json()).toMatchObject({ subject: stage.user.id });
  });

  it('signs out of the app', async () => {
    await signIn();
    await stage.page.goto(`${stage.app.origin}/auth/signout`);
    await stage.page.click('#submitButton');
    await stage.page.waitForURL((url) => !url.pathname.endsWith('/signout'));
    await stage.page.goto(`${stage.app.origin}/`);
    expect(await stage.json()).toEqual({});
  });
});
