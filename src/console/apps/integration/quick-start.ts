import { CLIENT_ASSERTION_TYPE } from '../../../tokens/protocol/client-assertion-type.js';

/**
 * Only for an app that can prove who it is.
 * @param scopes what the app may ask for
 * @param usesKeys it signs an assertion and has no secret
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

/** The address of the sign-in page as users see it; null if no redirect URI is registered. */
export function hostedPageUrl(baseUrl: string, appId: string, redirectUris: readonly string[]): string | null {
  const [first] = redirectUris;
  if (first === undefined) return null;
  return `${baseUrl}/login?${new URLSearchParams({ app_id: appId, redirect_uri: first, prompt: 'login' }).toString()}`;
}
