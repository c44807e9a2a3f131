/** Images of the service, and those embedded in a page. */
const IMAGES = "img-src 'self' data:";

/**
 * The Content-Security-Policy of a page: styles of the service, scripts with this response's nonce, no frames, no
 * embedded objects. `formTargets` are absolute URLs; each becomes its origin, or its scheme for an app on a device.
 * Chromium applies `form-action` to every redirect after a form submission, including those that the app makes after
 * its callback, so such a redirect must end the form submission first (docs/decisions/0035). `any`: no `form-action`,
 * for a page without input fields.
 */
export function contentSecurityPolicy(
  nonce: string,
  formTargets: readonly string[] | 'any',
  { hasWorker = false, hasFrame = false }: { hasWorker?: boolean; hasFrame?: boolean } = {},
): string {
  return [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    `style-src 'self' 'nonce-${nonce}'`,
    IMAGES,
    "connect-src 'self'",
    // A worker's script cannot carry a nonce.
    ...(hasWorker ? ["worker-src 'self'"] : []),
    ...(hasFrame ? ["frame-src 'self'"] : []),
    ...(formTargets === 'any' ? [] : [`form-action ${formSources(formTargets)}`]),
    "base-uri 'none'",
    "frame-ancestors 'none'",
    "object-src 'none'",
  ].join('; ');
}

/**
 * The policy of a page preview, shown in a frame: only styles and images of the service. No scripts, forms, pop-ups or
 * navigation out of the frame, even if the preview is opened directly. It keeps its origin, because style sheets are
 * sent to the service's own origin only.
 */
export function previewPolicy(nonce: string): string {
  return [
    "default-src 'none'",
    `style-src 'self' 'nonce-${nonce}'`,
    IMAGES,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'self'",
    'sandbox allow-same-origin',
  ].join('; ');
}

function formSources(targets: readonly string[]): string {
  return [...new Set(["'self'", ...targets.flatMap(sourcesOf)])].join(' ');
}

/** An origin or scheme contains neither spaces nor semicolons, so no URL can add a directive. */
function sourcesOf(target: string): string[] {
  const url = new URL(target);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return [url.protocol];
  // CSP source expressions cannot contain an IPv6 address (CSP 3, section 2.3.1), and the scheme alone would allow
  // every host.
  return url.hostname.startsWith('[') ? [] : [url.origin];
}
