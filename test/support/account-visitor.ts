import { HostedBrowser, type HostedAnswer } from './hosted-page.js';
import type { TestUser, World } from './world.js';

/** A browser that is signed in to the account page. */
export async function visitAccount(world: World, user: TestUser): Promise<HostedBrowser> {
  const browser = new HostedBrowser(world.baseUrl);
  const end = await browser.signIn('/account/sign-in', user.email, user.password);
  if (end.location !== `${world.baseUrl}/account`)
    throw new Error(`No way to the account: ${end.status} ${end.location ?? end.body.slice(0, 300)}`);
  return browser;
}

/** Opens the account page and sends one of its forms. */
export async function sendForm(
  browser: HostedBrowser,
  path: string,
  fields: Record<string, string> = {},
  from = '/account',
): Promise<HostedAnswer> {
  const page = await browser.get(from);
  return browser.post(path, { form_token: page.formToken(), ...fields });
}

export async function signOutEverywhereElse(world: World, user: TestUser): Promise<void> {
  const answer = await sendForm(await visitAccount(world, user), '/account/sessions/end-others');
  if (answer.status !== 303) throw new Error(`Not signed out: ${answer.status}`);
}

/** As if every sign-in of the user had been made so many seconds earlier. */
export async function ageSignIns(world: World, userId: string, seconds: number): Promise<void> {
  for (const table of ['sso_sessions', 'refresh_families']) {
    const sql = `UPDATE ${table} SET auth_time = auth_time - make_interval(secs => $2) WHERE user_id = $1`;
    await world.sql(sql, [userId, seconds]);
  }
}

/** Text of the page without its tags, for what a user reads. */
export function wordsOf({ body }: HostedAnswer): string {
  const main = /<main[\s\S]*<\/main>/.exec(body)?.[0] ?? '';
  return main
    .replace(/<[^>]*>/g, ' ')
    .replaceAll('&#x27;', "'")
    .replace(/\s+/g, ' ');
}
