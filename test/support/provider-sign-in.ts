import type { ProviderName } from '../../src/config/provider-settings.js';
import { type HostedAnswer, HostedBrowser } from './hosted-page.js';
import { unique } from './world.js';

/** An identity that no other test uses. */
export function providerUser(fields: { email?: string; email_verified?: boolean | string } = {}) {
  const id = unique();
  return { sub: `sub-${id}`, email: `${id}@example.com`, email_verified: true, name: 'Ada Lovelace', ...fields };
}

export function startPath(
  provider: ProviderName,
  app: { id: string; redirectUri: string },
  more: Record<string, string> = {},
): string {
  const query = new URLSearchParams({ app_id: app.id, redirect_uri: app.redirectUri, ...more });
  return `/oauth/${provider}/start?${query.toString()}`;
}

/** Where the provider sends the browser: our callback, as a GET or (Apple) as the form that its page posts. */
export type ProviderReturn =
  | { readonly kind: 'get'; readonly path: string }
  | { readonly kind: 'post'; readonly path: string; readonly fields: Record<string, string> };

/** The part of the trip that happens at the provider, in its own browser there. */
export async function passProvider(location: string, baseUrl: string): Promise<ProviderReturn> {
  const there = new HostedBrowser(new URL(location).origin);
  let answer: HostedAnswer = await there.get(location);
  for (let hops = 0; hops < 6; hops++) {
    const next = answer.location;
    if (!next) break;
    if (next.startsWith(baseUrl)) return { kind: 'get', path: next.slice(baseUrl.length) };
    answer = await there.get(next);
  }
  const action = /<form[^>]*action="([^"]+)"/.exec(answer.body)?.[1];
  if (!action?.startsWith(baseUrl))
    throw new Error(`The provider stays at ${answer.status}: ${answer.body.slice(0, 400)}`);
  const fields = [...answer.body.matchAll(/name="([^"]+)" value="([^"]*)"/g)].map((match) => [match[1]!, match[2]!]);
  return {
    kind: 'post',
    path: action.slice(baseUrl.length),
    fields: Object.fromEntries(fields) as Record<string, string>,
  };
}

/** Follows our own redirects until one leads to the app, or a page stays. */
export async function follow(browser: HostedBrowser, answer: HostedAnswer): Promise<HostedAnswer> {
  let current = answer;
  for (let hops = 0; current.location?.startsWith('/') && hops < 6; hops++)
    current = await browser.get(current.location);
  return current;
}

/** From the start to the callback's own answer. @param extra fields that Apple posts besides */
export async function signInAtProvider(
  browser: HostedBrowser,
  baseUrl: string,
  path: string,
  extra: Record<string, string> = {},
): Promise<HostedAnswer> {
  const started = await browser.get(path);
  if (!started.location) return started;
  return returnFromProvider(browser, await passProvider(started.location, baseUrl), extra);
}

/** The answer of our callback; a posted one comes from the provider's site, without our cookies. */
export async function returnFromProvider(
  browser: HostedBrowser,
  back: ProviderReturn,
  extra: Record<string, string> = {},
): Promise<HostedAnswer> {
  if (back.kind === 'get') return browser.get(back.path);
  const posted = await browser.postFromOutside(back.path, { ...back.fields, ...extra });
  return posted.location?.startsWith('/') ? browser.get(posted.location) : posted;
}
