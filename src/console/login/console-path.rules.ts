const LONGEST = 1024;

/**
 * A page of the console as an address on this very host, or null: never where another site would be reached, and never
 * a page of ours outside of the console. What comes there by the redirects behind the sign-in form is taken for a link
 * of ours, so a link from anywhere could act there: for instance, use up another user's sign-in link.
 */
export function readConsolePath(text: unknown): string | null {
  if (typeof text !== 'string' || text.length > LONGEST || !/^\/console(?:[/?]|$)/.test(text)) return null;
  // Browsers treat \ as /, and remove line breaks and tabs.
  if (!/^[!-[\]-~]+$/.test(text) || text.startsWith('/console//')) return null;
  // `..` and `%2e%2e` lead out again, once a browser reads them.
  if (new URL(text, 'http://console.invalid').pathname !== text.split(/[?#]/, 1)[0]) return null;
  return /^\/console\/(?:login|logout|callback)(?:[/?]|$)/.test(text) ? null : text;
}

/**
 * The pages whose GET does something where one of our own pages links there. Nothing else in the console acts by GET:
 * to act as a tenant or an app takes a form.
 */
const ACTS = /^\/console\/(?:logout|select-tenant(?:\/[^/]+)?|impersonate(?:-app)?-exit)\/?$/i;

export function isActingLink(path: string): boolean {
  return ACTS.test(path);
}

/** A link that says so shows its question first, wherever it was followed. */
export const ASKS_FIRST = 'ask';

/**
 * Where a sign-in on the way ends. Browsers take the redirects behind the sign-in form for a link of ours, but the wish
 * may be another site's: what would act there asks first.
 */
export function pathAfterSignIn(to: string): string {
  const url = new URL(to, 'http://console.invalid');
  if (!isActingLink(url.pathname)) return to;
  url.searchParams.set(ASKS_FIRST, '1');
  return `${url.pathname}${url.search}`;
}
