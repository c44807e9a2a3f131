/** Ours, and those that a page brings along. */
const IMAGES = "img-src 'self' data:";

/**
 * The policy of one page: our own styles, scripts with this response's nonce, nothing framed, nothing embedded.
 * `formTargets` are absolute addresses; each becomes its origin, or its scheme for an app on a device. Chromium holds
 * `form-action` against every hop of the redirects that follow a form, also against those that the app itself makes
 * after its callback: so such a redirect ends the form first (docs/decisions/0035). `any`: no `form-action`, for a page
 * without a field to fill in.
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
 * Of a picture of a page, in a frame of ours: our styles and images. Without scripts, forms, pop-ups and ways out of the
 * frame, also where the picture is opened by itself. It keeps its origin, because style sheets are sent to our own only.
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

/** An origin or scheme contains neither spaces nor semicolons, so no address can add a directive. */
function sourcesOf(target: string): string[] {
  const url = new URL(target);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return [url.protocol];
  // The grammar of CSP sources knows no IPv6 address (CSP 3, section 2.3.1), and a whole scheme would allow every host.
  return url.hostname.startsWith('[') ? [] : [url.origin];
}
