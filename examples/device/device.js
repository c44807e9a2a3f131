// A command-line app that signs a user in without its own browser (device grant, RFC 8628) and stays signed in.
import { createRemoteJWKSet, jwtVerify } from 'jose';

const { APP_ID, ISSUER = 'http://127.0.0.1:3000' } = process.env;
if (!APP_ID) throw new Error('Set APP_ID to an app with config.device_grant: see README.md');
const GRANT = 'urn:ietf:params:oauth:grant-type:device_code';

class Refused extends Error {}

/** What the broker says about itself (RFC 8414): no path is written here. */
async function discover() {
  const response = await fetch(`${ISSUER}/.well-known/oauth-authorization-server`);
  const metadata = await response.json();
  if (metadata.issuer !== ISSUER) throw new Error(`${ISSUER} calls itself ${metadata.issuer}`);
  return metadata;
}

/** A form to the broker. A public client has an id and no secret. @returns the status and the answer */
async function post(url, fields) {
  const body = new URLSearchParams({ client_id: APP_ID, ...fields });
  const headers = { 'User-Agent': 'device-example/1.0', Accept: 'application/json' };
  const response = await fetch(url, { method: 'POST', body, headers });
  return { status: response.status, answer: await response.json() };
}

const pause = (seconds) => new Promise((resolve) => setTimeout(resolve, seconds * 1000));

/** Polls until the user has answered in a browser. @throws Refused */
async function waitForTokens(tokenEndpoint, { device_code, interval = 5, expires_in }) {
  const end = Date.now() + expires_in * 1000;
  let seconds = interval;
  while (Date.now() < end) {
    await pause(seconds);
    // No connection is no answer: wait longer each time and ask again (RFC 8628 section 3.5).
    const polled = await post(tokenEndpoint, { grant_type: GRANT, device_code }).catch(() => null);
    if (polled === null || polled.status >= 500) {
      seconds *= 2;
      continue;
    }
    if (polled.status === 200) return polled.answer;
    const { error } = polled.answer;
    if (error === 'slow_down') seconds += 5;
    else if (error !== 'authorization_pending') throw new Refused(error);
  }
  throw new Refused('expired_token');
}

/** The user whom the token names, verified with the published keys. */
async function readUser(metadata, accessToken) {
  const keys = createRemoteJWKSet(new URL(metadata.jwks_uri));
  const expected = { issuer: ISSUER, audience: APP_ID, algorithms: ['RS256'], typ: 'at+jwt' };
  return (await jwtVerify(accessToken, keys, expected)).payload;
}

try {
  const metadata = await discover();
  const { status, answer } = await post(metadata.device_authorization_endpoint, { scope: 'openid email' });
  if (status !== 200) throw new Refused(answer.error);
  console.log(`Open ${answer.verification_uri} and enter the code ${answer.user_code}`);
  console.log(`Or open ${answer.verification_uri_complete}`);
  const tokens = await waitForTokens(metadata.token_endpoint, answer);
  console.log(`Signed in as ${(await readUser(metadata, tokens.access_token)).email}`);
  // Keep the refresh token where only this user can read it: it is the sign-in.
  const refresh = { grant_type: 'refresh_token', refresh_token: tokens.refresh_token };
  const refreshed = await post(metadata.token_endpoint, refresh);
  if (refreshed.status !== 200) throw new Refused(refreshed.answer.error);
  await post(metadata.revocation_endpoint, { token: refreshed.answer.refresh_token });
  console.log('Signed out');
} catch (error) {
  if (!(error instanceof Refused)) throw error;
  console.error(`Not signed in: ${error.message}`);
  process.exitCode = 1;
}
