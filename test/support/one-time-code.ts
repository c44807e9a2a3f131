import { HostedBrowser, loginPath } from './hosted-page.js';
import type { TestUser, TestClient, World } from './world.js';

/** RFC 7636, Appendix B. */
export const VERIFIER = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk';
export const CHALLENGE = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM';
export const PKCE = { code_challenge: CHALLENGE, code_challenge_method: 'S256' };

/** A fresh code, through the hosted page in its own browser. */
export async function newCode(
  world: World,
  app: TestClient,
  user: TestUser,
  parameters: Record<string, string> = {},
): Promise<string> {
  const browser = new HostedBrowser(world.baseUrl);
  const answer = await browser.signIn(loginPath(app, parameters), user.email, user.password);
  const code = answer.delivered.get('code');
  if (!code) throw new Error(`No code in ${answer.location}`);
  return code;
}
