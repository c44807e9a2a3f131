import { describe, expect, it } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import type { ErrorRequestHandler, Express, Request, RequestHandler } from 'express';
import { onClientFixture } from './client-fixture.js';
import type { TestClient } from './world.js';

export interface HeldTokens {
  readonly accessToken: string;
  readonly refreshToken: string;
  readonly idToken: string;
  readonly sub: string;
}

/** Where a client library is pointed to. */
export interface ClientTarget {
  readonly issuer: string;
  readonly client: TestClient;
  readonly redirectUri: string;
  readonly goodbye: string;
}

/** What an app does with its OpenID Connect library. */
export interface RealClient {
  /** Sends the browser off; what must be remembered until it comes back goes into the app's session. */
  readonly login: RequestHandler;
  /** The browser is back at redirect_uri. */
  finish(request: SessionRequest): Promise<HeldTokens>;
  userinfo(tokens: HeldTokens): Promise<Record<string, unknown>>;
  refresh(tokens: HeldTokens): Promise<HeldTokens>;
  /** Where the browser goes to sign out. */
  endSession(tokens: HeldTokens, state: string): string;
}

export type SessionRequest = Request & { session: Record<string, unknown> };

/** A server-side app around the library: `/login`, `/callback`, `/` (userinfo as JSON), `/refresh`, `/logout`, `/bye`. */
function mount(app: Express, library: RealClient): void {
  const sessions = new Map<string, Record<string, unknown>>();
  const tokensOf = (request: Request) => (request as SessionRequest).session['tokens'] as HeldTokens;
  app.use((request, response, next) => {
    const id =
      /(?:^|; )client_session=(\w+)/.exec(request.headers.cookie ?? '')?.[1] ?? randomBytes(16).toString('hex');
    if (!sessions.has(id)) sessions.set(id, {});
    response.setHeader('Set-Cookie', `client_session=${id}; Path=/; HttpOnly; SameSite=Lax`);
    Object.assign(request, { session: sessions.get(id)! });
    next();
  });
  app.get('/login', library.login);
  app.get('/callback', async (request, response) => {
    const { session } = request as SessionRequest;
    session['tokens'] = await library.finish(request as SessionRequest);
    response.redirect(303, '/');
  });
  app.get('/', async (request, response) => {
    response.json(await library.userinfo(tokensOf(request)));
  });
  app.get('/refresh', async (request, response) => {
    const { session } = request as SessionRequest;
    session['tokens'] = await library.refresh(tokensOf(request));
    response.redirect(303, '/');
  });
  app.get('/logout', (request, response) => {
    response.redirect(303, library.endSession(tokensOf(request), 'until next time'));
  });
  app.get('/bye', (request, response) => response.json({ state: request.query['state'] }));
  app.use(((error: Error, _request, response, _next) => {
    response.status(500).json({ failed: error.message });
  }) as ErrorRequestHandler);
}

/**
 * Everything that an app wants of a provider, with a library as it comes from the registry and a real browser on the
 * hosted page. @param usesPkce whether the library sends a challenge
 */
export function describeClient(
  name: string,
  usesPkce: boolean,
  connect: (target: ClientTarget) => Promise<RealClient>,
): void {
  describe(name, () => {
    const fixture = onClientFixture(async (opened) => {
      const client = await opened.register('/callback', '/bye');
      const { issuer, app } = opened;
      const { redirectUri } = client;
      mount(app.express, await connect({ issuer, client, redirectUri, goodbye: `${app.origin}/bye` }));
    });
    const signIn = async () => {
      await fixture.page.goto(`${fixture.app.origin}/login`);
      await fixture.fillIn();
      await fixture.page.waitForURL(`${fixture.app.origin}/`);
    };

    it(`sends the authorization request ${usesPkce ? 'with' : 'without'} PKCE`, async () => {
      const { page, app } = fixture;
      await page.goto(`${app.origin}/login`);
      expect(new URL(page.url()).searchParams.has('code_challenge')).toBe(usesPkce);
    });

    it('signs in on the hosted page and reads the user’s profile', async () => {
      await signIn();
      const { id: sub, email } = fixture.user;
      expect(await fixture.json()).toMatchObject({ sub, email, name: 'Ada Lovelace' });
    });

    it('signs in a second time without showing a page', async () => {
      const { page, app } = fixture;
      await signIn();
      await page.goto(`${app.origin}/login`);
      expect(page.url()).toBe(`${app.origin}/`);
    });

    it('refreshes repeatedly', async () => {
      const { page, app } = fixture;
      await signIn();
      for (let time = 0; time < 3; time++) await page.goto(`${app.origin}/refresh`);
      expect(await fixture.json()).toMatchObject({ sub: fixture.user.id });
    });

    it('signs out, returns to the app with its state, and ends the session and its tokens', async () => {
      const { page, app } = fixture;
      await signIn();
      await page.goto(`${app.origin}/logout`);
      expect([new URL(page.url()).pathname, await fixture.json()]).toEqual(['/bye', { state: 'until next time' }]);
      await page.goto(`${app.origin}/refresh`);
      expect(await fixture.json()).toHaveProperty('failed');
      await page.goto(`${app.origin}/login`);
      expect(await page.locator('#password').isVisible()).toBe(true);
    });
  });
}
