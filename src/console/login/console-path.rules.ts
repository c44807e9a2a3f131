const LONGEST = 1024;

/**
 * A path of the console on this host, or null. Never a path to another site or outside of the console: browsers treat
 * the redirects after the sign-in form as if they came from a page of the service, so a link from any site could have
 * an effect there, for example use up a sign-in link of another user.
 */
export function readConsolePath(text: unknown): string | null {
  if (typeof text !== 'string' || text.length > LONGEST || !/^\/console(?:[/?]|$)/.test(text)) return null;
  // Browsers treat \ as /, and ignore line breaks and tabs.
  if (!/^[!-[\]-~]+$/.test(text) || text.startsWith('/console//')) return null;
  // Browsers resolve `..` and `%2e%2e`, which would lead out of the console.
  if (new URL(text, 'http://console.invalid').pathname !== text.split(/[?#]/, 1)[0]) return null;
  return /^\/console\/(?:login|logout|callback)(?:[/?]|$)/.test(text) ? null : text;
}

/**
 * The only pages on which a GET has an effect if the user followed a link in the console. Impersonation requires a
 * form.
 */
const ACTS = /^\/console\/(?:logout|select-tenant(?:\/[^/]+)?|impersonate(?:-app)?-exit)\/?$/i;

export function isActingLink(path: string): boolean {
  return ACTS.test(path);
}

/** Query parameter of a link that must show a confirmation, wherever it was followed. */
export const CONFIRM_PARAMETER = 'ask';

/**
 * The path to show after a sign-in. Browsers treat the redirects after the sign-in form as a link of the service,
 * although the path may come from another site, so paths with an effect ask for confirmation.
 */
export function pathAfterSignIn(to: string): string {
  const url = new URL(to, 'http://console.invalid');
  if (!isActingLink(url.pathname)) return to;
  url.searchParams.set(CONFIRM_PARAMETER, '1');
  return `${url.pathname}${url.search}`;
}
