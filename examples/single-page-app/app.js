/* global atob, btoa, crypto, document, history, location, sessionStorage, TextDecoder, TextEncoder -- a browser's */
// A single-page app that signs users in through the broker: a public client with PKCE. No secret, no build step.
const { issuer, app_id: client_id } = await (await fetch('config.json')).json();
const provider = await (await fetch(`${issuer}/.well-known/openid-configuration`)).json();
const redirect_uri = location.origin + location.pathname;
const element = (id) => document.getElementById(id);
/** Nowhere but here: what lies in storage, any script could take later. After a reload the broker's session serves. */
let tokens = null;
let refreshing = null;

/** State binds the answer to this tab, PKCE binds the code to it, the nonce binds the ID token. */
async function signIn(more = {}) {
  const [state, verifier, nonce] = [random(), random(), random()];
  sessionStorage.setItem('sign_in', JSON.stringify({ state, verifier, nonce }));
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier));
  const pkce = { code_challenge: base64url(digest), code_challenge_method: 'S256' };
  const asked = { client_id, redirect_uri, response_type: 'code', scope: 'openid profile email', state, nonce };
  go(provider.authorization_endpoint, { ...asked, ...pkce, ...more });
}

/** The broker has sent the browser back. @returns what to tell the user, null where they are signed in */
async function finish(query) {
  const begun = JSON.parse(sessionStorage.getItem('sign_in') ?? 'null');
  sessionStorage.removeItem('sign_in');
  history.replaceState(null, '', redirect_uri);
  if (!begun || query.get('state') !== begun.state || query.get('iss') !== issuer)
    return 'This sign-in did not begin here';
  if (query.get('error') === 'login_required') return 'You are not signed in';
  if (!query.has('code')) return `Sign-in failed: ${query.get('error')}`;
  const grant = { grant_type: 'authorization_code', code: query.get('code'), code_verifier: begun.verifier };
  const answer = await post(provider.token_endpoint, { ...grant, client_id, redirect_uri });
  const claims = answer && JSON.parse(decode(answer.id_token.split('.')[1]));
  // It comes from the token endpoint itself, which TLS vouches for (OpenID Connect Core 3.1.3.7).
  if (!claims || claims.iss !== issuer || claims.aud !== client_id || claims.nonce !== begun.nonce)
    return 'Sign-in failed';
  tokens = answer;
  return null;
}

/** Calls an API as the user; null where the broker does not let them go on. */
async function call(url) {
  const { access_token } = tokens;
  const send = () => fetch(url, { headers: { Authorization: `Bearer ${tokens.access_token}` } });
  let answer = await send();
  const isRenewed = () => tokens.access_token !== access_token;
  if (answer.status === 401 && (isRenewed() || (await refresh()))) answer = await send();
  return answer.ok ? answer.json() : null;
}

/** A refresh token serves once, and a second use ends the sign-in: parallel calls share one refresh. */
function refresh() {
  const grant = { grant_type: 'refresh_token', refresh_token: tokens.refresh_token, client_id };
  const take = (answer) => answer !== null && Boolean((tokens = answer));
  return (refreshing ??= post(provider.token_endpoint, grant)
    .then(take)
    .finally(() => (refreshing = null)));
}

/** The answer, null where it is a refusal. */
async function post(url, fields) {
  const answer = await fetch(url, { method: 'POST', body: new URLSearchParams(fields) });
  if (answer.status >= 500 || answer.status === 429) throw new Error(`${url} answered ${answer.status}`);
  return answer.ok ? answer.json() : null;
}

async function showWho() {
  const user = await call(provider.userinfo_endpoint);
  show(user ? `Signed in as ${user.name} (${user.email})` : 'You are not signed in any more', user !== null);
}

function show(message, isSignedIn) {
  element('message').textContent = message;
  element('sign-in').hidden = isSignedIn;
  element('who').hidden = element('sign-out').hidden = !isSignedIn;
}

const go = (url, parameters) => location.assign(`${url}?${new URLSearchParams(parameters)}`);
const random = () => base64url(crypto.getRandomValues(new Uint8Array(32)));
const base64url = (bytes) =>
  btoa(String.fromCharCode(...new Uint8Array(bytes))).replace(/[+/=]/g, (c) => ({ '+': '-', '/': '_', '=': '' })[c]);
const decode = (part) =>
  new TextDecoder().decode(Uint8Array.from(atob(part.replace(/-/g, '+').replace(/_/g, '/')), (c) => c.charCodeAt(0)));

element('sign-in').onclick = () => signIn();
element('who').onclick = showWho;
element('sign-out').onclick = () =>
  go(provider.end_session_endpoint, { id_token_hint: tokens.id_token, post_logout_redirect_uri: redirect_uri });
const query = new URLSearchParams(location.search);
if (!query.has('state')) await signIn({ prompt: 'none' });
else {
  const complaint = await finish(query);
  if (complaint) show(complaint, false);
  else await showWho();
}
