import { CLIENT_ASSERTION_TYPE } from '../../../tokens/protocol/client-assertion-type.js';

/**
 * Only for an app that can authenticate.
 * @param scopes that the app can request
 * @param usesKeys true if it signs an assertion and has no secret
 */
export function serviceTokenCall(baseUrl: string, appId: string, scopes: readonly string[], usesKeys: boolean): string {
  const proof = usesKeys
    ? `client_assertion_type=${CLIENT_ASSERTION_TYPE} \\\n  -d client_assertion=<signed JWT>`
    : 'client_secret=<client secret>';
  return `curl -X POST ${baseUrl}/auth/token \\
  -d grant_type=client_credentials \\
  -d client_id=${appId} \\
  -d ${proof} \\
  --data-urlencode 'scope=${scopes.join(' ') || '<scope>'}'`;
}

/** URL of the hosted sign-in page; null if no redirect URI is registered. */
export function hostedPageUrl(baseUrl: string, appId: string, redirectUris: readonly string[]): string | null {
  const [first] = redirectUris;
  if (first === undefined) return null;
  return `${baseUrl}/login?${new URLSearchParams({ app_id: appId, redirect_uri: first, prompt: 'login' }).toString()}`;
}
