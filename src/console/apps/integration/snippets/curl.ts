import { deliveryOf } from '../../../../apps/app/redirect-uri.rules.js';
import { CLIENT_ASSERTION_TYPE } from '../../../../tokens/protocol/client-assertion-type.js';
import type { ClientMethod, SnippetValues } from './snippet.js';

/** Parameters of the token request. With PKCE a secret is needed only if the app is confidential. */
const PROOFS: Readonly<Record<ClientMethod, string>> = {
  secret: '',
  key: `,"client_assertion_type":"${CLIENT_ASSERTION_TYPE}","client_assertion":"<signed JWT>"`,
  none: '',
};

/** The requests of a first sign-in, without a library. */
export function curlSnippet({ issuer, appId, redirectUri, method }: SnippetValues): string {
  const target = redirectUri === null ? '<redirect_uri>' : encodeURIComponent(redirectUri);
  // Without `response_type=code`, an app on a device gets tokens at its redirect URI instead of a code.
  const code = redirectUri !== null && deliveryOf(redirectUri) === 'native' ? '&response_type=code' : '';
  return `# 1. Send the browser here, with a state and a PKCE challenge of your own
${issuer}/login?app_id=${appId}&redirect_uri=${target}${code}&state=<state>&code_challenge=<challenge>&code_challenge_method=S256

# 2. It comes back with ?code=…&state=…: compare the state, then exchange the code within 60 seconds
curl -X POST ${issuer}/token/exchange \\
  -H 'Content-Type: application/json' \\
  -d '{"app_id":"${appId}","code":"<code>","code_verifier":"<verifier>"${PROOFS[method]}}'

# 3. Verify access tokens with these keys; aud must be ${appId}
curl ${issuer}/.well-known/jwks.json`;
}
