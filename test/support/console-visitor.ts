import { type HostedAnswer, HostedBrowser, unescapeHtml } from './hosted-page.js';
import type { TestUser, World } from './world.js';

/** What browsers say when a user follows a link of the page they look at. */
export const OWN_LINK = { 'Sec-Fetch-Site': 'same-origin', 'Sec-Fetch-Mode': 'navigate', 'Sec-Fetch-Dest': 'document' };

/** A browser that is in the console as this user. */
export async function visitConsole(world: World, user: TestUser): Promise<HostedBrowser> {
  const browser = new HostedBrowser(world.baseUrl);
  const begin = await browser.get('/console/login');
  const end = await browser.signIn(begin.location!, user.email, user.password);
  const path = end.location?.slice(world.baseUrl.length) ?? '';
  const inside = await browser.get(path);
  if (inside.status !== 303 || inside.location !== '/console/')
    throw new Error(
      `No way into the console: ${end.status} ${inside.status} ${inside.location ?? inside.body.slice(0, 300)}`,
    );
  return browser;
}

/** The token for forms of the page's content: the one in the frame's way out is of another purpose. */
export function contentToken({ body, status }: HostedAnswer): string {
  const main = /<main[\s\S]*<\/main>/.exec(body)?.[0] ?? '';
  const token = /name="form_token"\s+value="([^"]+)"/.exec(main)?.[1];
  if (!token) throw new Error(`No form in the content of the page (${status})`);
  return token;
}

/** Opens a page and sends one of its forms. */
export async function sendConsoleForm(
  browser: HostedBrowser,
  from: string,
  path: string,
  fields: Record<string, string> = {},
): Promise<HostedAnswer> {
  const page = await browser.get(from);
  return browser.post(path, { form_token: contentToken(page), ...fields });
}

/** Begins to act as a tenant or an app, as the form there does. @param as e.g. `impersonate/<tenant's id>` */
export function actAs(browser: HostedBrowser, as: string, reason = 'x'): Promise<HostedAnswer> {
  return sendConsoleForm(browser, `/console/${as}`, `/console/${as}`, { reason });
}

/** What stands in the page's content, without its tags. */
export function contentWords({ body }: HostedAnswer): string {
  const main = /<main[\s\S]*<\/main>/.exec(body)?.[0] ?? '';
  const toasts = /<div class="toasts"[\s\S]*?<\/div>\s*<\/div>/.exec(body)?.[0] ?? '';
  return `${main} ${toasts}`
    .replace(/<[^>]*>/g, ' ')
    .replaceAll('&#x27;', "'")
    .replaceAll('&amp;', '&')
    .replace(/\s+/g, ' ');
}

/** Where the page's last link with these words leads. */
export function lastLink({ body }: HostedAnswer, words: string): string {
  const found = [...body.matchAll(/href="([^"]*)">([^<]*)</g)].filter(([, , text]) => text === words).at(-1);
  if (!found) throw new Error(`No link with “${words}”`);
  return unescapeHtml(found[1]!);
}
