import { deliveryOf } from '../../apps/redirect-uri.rules.js';

/** The first sign-in of an app, with its own values. @param redirectUri null: none is registered yet */
export function quickStart(baseUrl: string, appId: string, redirectUri: string | null): string {
  const target = redirectUri === null ? '<redirect_uri>' : encodeURIComponent(redirectUri);
  // Without it, an app on a device gets tokens at its redirect URI instead of a code.
  const code = redirectUri !== null && deliveryOf(redirectUri) === 'native' ? '&response_type=code' : '';
  return `# 1. Send the browser here, with a state and a PKCE challenge of your own
${baseUrl}/login?app_id=${appId}&redirect_uri=${target}${code}&state=<state>&code_challenge=<challenge>&code_challenge_method=S256

# 2. It comes back with ?code=…&state=…: compare the state, then exchange the code within 60 seconds
curl -X POST ${baseUrl}/token/exchange \\
  -H 'Content-Type: application/json' \\
  -d '{"app_id":"${appId}","code":"<code>","code_verifier":"<verifier>"}'

# 3. Verify access tokens with these keys; aud must be ${appId}
curl ${baseUrl}/.well-known/jwks.json`;
}

/** @param scopes what the app may ask for */
export function serviceTokenCall(baseUrl: string, appId: string, scopes: readonly string[]): string {
  return `curl -X POST ${baseUrl}/auth/token \\
  -d grant_type=client_credentials \\
  -d client_id=${appId} \\
  -d client_secret=<client secret> \\
  --data-urlencode 'scope=${scopes.join(' ') || '<scope>'}'`;
}

/** The real page, as people see it; null where no redirect URI is registered. */
export function hostedPageUrl(baseUrl: string, appId: string, redirectUris: readonly string[]): string | null {
  const [first] = redirectUris;
  if (first === undefined) return null;
  return `${baseUrl}/login?${new URLSearchParams({ app_id: appId, redirect_uri: first, prompt: 'login' }).toString()}`;
}
