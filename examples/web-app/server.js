// A server-side web app that signs users in through the broker: node:http and jose, nothing else.
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';
import { createRemoteJWKSet, errors, jwtVerify } from 'jose';

const { APP_ID, CLIENT_SECRET, ISSUER = 'http://127.0.0.1:3000', PORT = '4000' } = process.env;
const { BASE_URL = `http://127.0.0.1:${PORT}` } = process.env;
if (!APP_ID || !CLIENT_SECRET) throw new Error('Set APP_ID and CLIENT_SECRET: see README.md');
const redirect_uri = `${BASE_URL}/callback`;
const keys = createRemoteJWKSet(new URL(`${ISSUER}/.well-known/jwks.json`));
/** Tokens stay here; the browser holds a random key of this map. A real app keeps it in its database. */
const sessions = new Map();

async function home(request, response) {
  const id = cookie(request, 'app_session');
  const user = sessions.has(id) && (await signedInUser(id));
  if (!user) return page(response, 200, '<a href="/login">Sign in</a>');
  const who = `Signed in as <b>${escape(user.email)}</b> with the roles ${escape(user.roles.join(', '))}`;
  page(response, 200, `${who}<form method="post" action="/sign-out"><button>Sign out</button></form>`);
}
/** State binds the answer to this browser, PKCE binds the code to this sign-in. */
function login(_request, response) {
  const [state, verifier] = [random(), random()];
  const challenge = { code_challenge: sha256(verifier).toString('base64url'), code_challenge_method: 'S256' };
  setCookie(response, 'app_sign_in', `${state}.${verifier}`, 600);
  redirect(response, `${ISSUER}/login?${new URLSearchParams({ app_id: APP_ID, redirect_uri, state, ...challenge })}`);
}
async function callback(request, response, query) {
  const [state, code_verifier] = cookie(request, 'app_sign_in').split('.');
  setCookie(response, 'app_sign_in', '', 0);
  const isOurs = state && timingSafeEqual(sha256(state), sha256(query.get('state') ?? ''));
  if (!isOurs) return page(response, 400, 'This sign-in did not begin here');
  const grant = { app_id: APP_ID, code: query.get('code'), code_verifier, redirect_uri };
  const tokens = query.has('code') ? await post('/token/exchange', grant) : null;
  if (!tokens) return page(response, 403, `Sign-in failed: ${escape(query.get('error') ?? 'the code was refused')}`);
  const id = random();
  sessions.set(id, { tokens, refreshing: null });
  setCookie(response, 'app_session', id);
  redirect(response, '/');
}
async function signOut(request, response) {
  const id = cookie(request, 'app_session');
  const refresh_token = sessions.get(id)?.tokens.refresh_token;
  sessions.delete(id);
  setCookie(response, 'app_session', '', 0);
  if (refresh_token) await post('/token/revoke', { refresh_token });
  redirect(response, '/');
}
/** Claims of the access token, refreshed where it has run out; false where the broker refuses. */
async function signedInUser(id) {
  const session = sessions.get(id);
  const { tokens } = session;
  const user = await verify(tokens.access_token);
  if (user) return user;
  // A refresh token serves once, and a second use ends the sign-in: parallel requests share one refresh.
  const done = () => (session.refreshing = null);
  if (session.tokens === tokens) await (session.refreshing ??= refresh(id, session).finally(done));
  return sessions.has(id) && verify(session.tokens.access_token);
}
async function refresh(id, session) {
  const tokens = await post('/token/refresh', { refresh_token: session.tokens.refresh_token, app_id: APP_ID });
  if (tokens) session.tokens = tokens;
  else sessions.delete(id);
}
/** Claims, or null where the token has run out; anything else that is wrong with it throws. */
async function verify(token) {
  const expected = { issuer: ISSUER, audience: APP_ID, algorithms: ['RS256'], typ: 'at+jwt', requiredClaims: ['exp'] };
  const expired = (error) => (error instanceof errors.JWTExpired ? { payload: null } : Promise.reject(error));
  return (await jwtVerify(token, keys, expected).catch(expired)).payload;
}
/** The answer, null where it is a refusal; throws where the broker is away. */
async function post(path, fields) {
  const headers = { Authorization: `Basic ${Buffer.from(`${APP_ID}:${CLIENT_SECRET}`).toString('base64')}` };
  const answer = await fetch(`${ISSUER}${path}`, { method: 'POST', headers, body: new URLSearchParams(fields) });
  if (answer.status >= 500 || answer.status === 429) throw new Error(`${path} answered ${answer.status}`);
  return answer.ok ? answer.json() : null;
}
const random = () => randomBytes(32).toString('base64url');
const sha256 = (text) => createHash('sha256').update(text).digest();
const escape = (text) => text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
const cookie = (request, name) => new RegExp(`(?:^|; )${name}=([^;]*)`).exec(request.headers.cookie ?? '')?.[1] ?? '';
/** SameSite=Lax: another site cannot make the browser send it along with a POST. */
const attributes = `; Path=/; HttpOnly; SameSite=Lax${BASE_URL.startsWith('https:') ? '; Secure' : ''}`;
const setCookie = (response, name, value, maxAge = 86_400) =>
  response.appendHeader('Set-Cookie', `${name}=${value}; Max-Age=${maxAge}${attributes}`);
const redirect = (response, location) => response.writeHead(303, { Location: location }).end();
const page = (response, status, html) =>
  response.writeHead(status, { 'Content-Type': 'text/html; charset=utf-8' }).end(`<!doctype html><p>${html}`);
const routes = { 'GET /': home, 'GET /login': login, 'GET /callback': callback, 'POST /sign-out': signOut };
createServer(async (request, response) => {
  try {
    const { pathname, searchParams } = new URL(request.url, BASE_URL);
    const route = routes[`${request.method} ${pathname}`] ?? (() => page(response, 404, 'Not found'));
    await route(request, response.setHeader('Cache-Control', 'no-store'), searchParams);
  } catch (error) {
    console.error(error);
    page(response, 500, 'Something went wrong');
  }
}).listen(Number(PORT), '127.0.0.1', () => console.log(`Listening on ${BASE_URL}`));
