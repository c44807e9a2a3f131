// An API that accepts the broker's access tokens: verified here, with the published keys, without a call per request.
import { createServer } from 'node:http';
import { createRemoteJWKSet, errors, jwtVerify } from 'jose';

const { APP_ID, ISSUER = 'http://127.0.0.1:3000', PORT = '4100' } = process.env;
if (!APP_ID) throw new Error('Set APP_ID to the app whose tokens are accepted: see README.md');
/** Kept for an hour; an unknown key id is looked up at once, so that a rotation goes unnoticed. */
const keys = createRemoteJWKSet(new URL(`${ISSUER}/.well-known/jwks.json`), { cacheMaxAge: 3_600_000 });

/** Path → role that it needs, and the answer. */
const routes = {
  '/me': { role: 'user', answer: ({ sub, email, roles }) => ({ sub, email, roles }) },
  '/reports': { role: 'admin', answer: () => ({ reports: [] }) },
};

class Refused extends Error {}

/** Claims of a user's access token for this app. @throws Refused */
async function authenticate(request) {
  const token = /^Bearer ([\w-]+\.[\w-]+\.[\w-]+)$/i.exec(request.headers.authorization ?? '')?.[1];
  if (!token) throw new Refused('no bearer token');
  const expected = { issuer: ISSUER, audience: APP_ID, algorithms: ['RS256'], typ: 'at+jwt', requiredClaims: ['exp'] };
  const { payload } = await jwtVerify(token, keys, expected).catch((error) => {
    // The broker is unavailable and its keys are not known yet: the token may be valid.
    if (error instanceof errors.JWKSTimeout || !(error instanceof errors.JOSEError)) throw error;
    throw new Refused(error.code);
  });
  // A service token of the app has the same audience: there is no user behind it.
  if (payload.token_use !== 'access') throw new Refused('not a user');
  return payload;
}

function send(response, status, body, headers = {}) {
  const types = { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' };
  response.writeHead(status, { ...types, ...headers }).end(JSON.stringify(body));
}

createServer(async (request, response) => {
  const route = Object.hasOwn(routes, request.url) ? routes[request.url] : null;
  if (!route || request.method !== 'GET') return send(response, 404, { detail: 'Not found' });
  try {
    const claims = await authenticate(request);
    if (!claims.roles?.includes(route.role)) return send(response, 403, { detail: `Needs the role ${route.role}` });
    send(response, 200, route.answer(claims));
  } catch (error) {
    if (error instanceof Refused)
      return send(response, 401, { detail: 'Invalid token' }, { 'WWW-Authenticate': 'Bearer error="invalid_token"' });
    console.error(error);
    send(response, 503, { detail: 'Try again later' }, { 'Retry-After': '5' });
  }
}).listen(Number(PORT), '127.0.0.1', () => console.log(`Listening on http://127.0.0.1:${PORT}`));
