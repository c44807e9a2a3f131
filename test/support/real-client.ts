import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import express, { type Request, type RequestHandler } from 'express';
import type { Browser, Page } from 'playwright-core';
import { openBrowser } from './chromium.js';
import { startTestApp, type TestApp } from './test-app.js';
import { type Person, type TestClient, World } from './world.js';

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
class App {
  private readonly express = express();
  private readonly sessions = new Map<string, Record<string, unknown>>();
  private readonly server = createServer(this.express);

  static async start(): Promise<App> {
    const app = new App();
    app.server.listen(0, '127.0.0.1');
    await once(app.server, 'listening');
    return app;
  }

  get origin(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  mount(library: RealClient): void {
    const tokensOf = (request: Request) => (request as SessionRequest).session['tokens'] as HeldTokens;
    this.express.use((request, response, next) => {
      const id =
        /(?:^|; )client_session=(\w+)/.exec(request.headers.cookie ?? '')?.[1] ?? randomBytes(16).toString('hex');
      if (!this.sessions.has(id)) this.sessions.set(id, {});
      response.setHeader('Set-Cookie', `client_session=${id}; Path=/; HttpOnly; SameSite=Lax`);
      Object.assign(request, { session: this.sessions.get(id)! });
      next();
    });
    this.express.get('/login', library.login);
    this.express.get('/callback', async (request, response) => {
      const { session } = request as SessionRequest;
      session['tokens'] = await library.finish(request as SessionRequest);
      response.redirect(303, '/');
    });
    this.express.get('/', async (request, response) => {
      response.json(await library.userinfo(tokensOf(request)));
    });
    this.express.get('/refresh', async (request, response) => {
      const { session } = request as SessionRequest;
      session['tokens'] = await library.refresh(tokensOf(request));
      response.redirect(303, '/');
    });
    this.express.get('/logout', (request, response) => {
      response.redirect(303, library.endSession(tokensOf(request), 'until next time'));
    });
    this.express.get('/bye', (request, response) => response.json({ state: request.query['state'] }));
    this.express.use(((error: Error, _request, response, _next) => {
      response.status(500).json({ failed: error.message });
    }) as express.ErrorRequestHandler);
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }
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
    let service: TestApp;
    let world: World;
    let browser: Browser;
    let app: App;
    let library: RealClient;
    let client: TestClient;
    let person: Person;
    let page: Page;

    beforeAll(async () => {
      [service, browser, app] = await Promise.all([startTestApp(), openBrowser(), App.start()]);
      world = await World.open(service.baseUrl, service.settings.databaseUrl!);
      const [redirectUri, goodbye] = [`${app.origin}/callback`, `${app.origin}/bye`];
      const config = { redirect_uris: [redirectUri], post_logout_redirect_uris: [goodbye] };
      client = { ...(await world.app(await world.tenant(), { config })), redirectUri };
      library = await connect({ issuer: service.baseUrl, client, redirectUri, goodbye });
      app.mount(library);
    });

    afterAll(async () => {
      await browser.close();
      await world.close();
      await Promise.all([service.close(), app.close()]);
    });

    beforeEach(async () => {
      person = await world.person(client);
      const context = await browser.newContext({ reducedMotion: 'reduce' });
      page = await context.newPage();
    });

    const json = async () => JSON.parse(await page.locator('body').innerText()) as Record<string, unknown>;
    const signIn = async () => {
      await page.goto(`${app.origin}/login`);
      await page.fill('#email', person.email);
      await page.fill('#password', person.password);
      await page.click('button.wide:not(.quiet)');
      await page.waitForURL(`${app.origin}/`);
    };

    it(`asks ${usesPkce ? 'with' : 'without'} PKCE`, async () => {
      await page.goto(`${app.origin}/login`);
      expect(new URL(page.url()).searchParams.has('code_challenge')).toBe(usesPkce);
    });

    it('signs in on the hosted page and learns who it is', async () => {
      await signIn();
      expect(await json()).toMatchObject({ sub: person.id, email: person.email, name: 'Ada Lovelace' });
    });

    it('signs in a second time without a page', async () => {
      await signIn();
      await page.goto(`${app.origin}/login`);
      expect(page.url()).toBe(`${app.origin}/`);
    });

    it('refreshes, again and again', async () => {
      await signIn();
      for (let time = 0; time < 3; time++) await page.goto(`${app.origin}/refresh`);
      expect(await json()).toMatchObject({ sub: person.id });
    });

    it('signs out, comes back with its state, and nothing of the sign-in is left', async () => {
      await signIn();
      await page.goto(`${app.origin}/logout`);
      expect([new URL(page.url()).pathname, await json()]).toEqual(['/bye', { state: 'until next time' }]);
      await page.goto(`${app.origin}/refresh`);
      expect(await json()).toHaveProperty('failed');
      await page.goto(`${app.origin}/login`);
      expect(await page.locator('#password').isVisible()).toBe(true);
    });
  });
}
