const BARE_SCHEME = /^[a-z][a-z0-9+.-]*:$/;

/**
 * The policy of one page: our own styles, scripts with this response's nonce, nothing framed, nothing embedded.
 * `formTargets` are absolute addresses or bare schemes (`https:`); an address becomes its origin, or its scheme for an
 * app on a device. Chromium holds `form-action` against every hop of the redirects that follow a form, also against
 * those that the app itself makes after its callback: an app that goes on to another origin needs the bare scheme.
 */
export function contentSecurityPolicy(nonce: string, formTargets: readonly string[], hasWorker = false): string {
  return [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data:",
    "connect-src 'self'",
    // A worker's script cannot carry a nonce.
    ...(hasWorker ? ["worker-src 'self'"] : []),
    `form-action ${[...new Set(["'self'", ...formTargets.map(sourceOf)])].join(' ')}`,
    "base-uri 'none'",
    "frame-ancestors 'none'",
    "object-src 'none'",
  ].join('; ');
}

/** An origin or scheme holds neither blanks nor semicolons, so no address can add a directive. */
function sourceOf(target: string): string {
  if (BARE_SCHEME.test(target)) return target;
  const url = new URL(target);
  const web = url.protocol === 'https:' || url.protocol === 'http:';
  // The grammar of CSP sources knows no IPv6 address (CSP 3, section 2.3.1).
  return web && !url.hostname.startsWith('[') ? url.origin : url.protocol;
}
