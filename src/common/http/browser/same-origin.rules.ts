interface OriginHeaders {
  readonly origin?: string;
  readonly 'sec-fetch-site'?: string | string[];
}

/**
 * Whether a request that sets or uses a cookie comes from an allowed origin. Programs send neither header; browsers
 * always send one of them with a POST. The pages of the service have `Referrer-Policy: no-referrer`, so their own forms
 * arrive with `Origin: null`, which proves nothing by itself: Sec-Fetch-Site or the form token must prove it.
 */
export function judgeOrigin(headers: OriginHeaders, ownOrigin: string, kind: 'api' | 'form'): 'own' | 'foreign' {
  const site = headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin' && site !== 'none') return 'foreign';
  if (headers.origin === undefined || headers.origin === ownOrigin) return 'own';
  return kind === 'form' && headers.origin === 'null' ? 'own' : 'foreign';
}
