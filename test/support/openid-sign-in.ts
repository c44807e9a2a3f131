import { HostedBrowser } from './hosted-page.js';
import { postForm } from './post.js';
import type { Answer, TestUser, TestClient, Tokens, World } from './world.js';

export type OpenIdTokens = Tokens & { readonly id_token: string; readonly scope: string };

/** `/login` in OpenID Connect's words. */
export function authorizationPath(app: TestClient, parameters: Record<string, string> = {}): string {
  const query = { client_id: app.id, redirect_uri: app.redirectUri, response_type: 'code', scope: 'openid' };
  return `/login?${new URLSearchParams({ ...query, ...parameters }).toString()}`;
}

/** A code from the given browser: by the form, or by its session where it has one. */
export async function codeFrom(
  browser: HostedBrowser,
  app: TestClient,
  user: TestUser,
  parameters: Record<string, string> = {},
): Promise<string> {
  const answer = await browser.signIn(authorizationPath(app, parameters), user.email, user.password);
  const code = answer.delivered.get('code');
  if (!code) throw new Error(`No code in ${answer.location}`);
  return code;
}

export function redeem<Body = OpenIdTokens>(
  world: World,
  app: TestClient,
  code: string,
  more: Record<string, string> = {},
): Promise<Answer<Body>> {
  return postForm<Body>(`${world.baseUrl}/auth/token`, {
    grant_type: 'authorization_code',
    code,
    redirect_uri: app.redirectUri,
    client_id: app.id,
    client_secret: app.secret,
    ...more,
  });
}

/** Signs in and redeems; the browser keeps its session. */
export async function openIdSignIn(
  world: World,
  app: TestClient,
  user: TestUser,
  browser = new HostedBrowser(world.baseUrl),
  parameters: Record<string, string> = {},
): Promise<{ browser: HostedBrowser; tokens: OpenIdTokens }> {
  const { status, body } = await redeem(world, app, await codeFrom(browser, app, user, parameters));
  if (status !== 200) throw new Error(`No tokens: ${status} ${JSON.stringify(body)}`);
  return { browser, tokens: body };
}
