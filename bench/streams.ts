import type { Stream } from './load/generator.js';
import type { Peer, Stage } from './stage.js';
import type { TestClient } from '../test/support/world.js';

export const CONNECTIONS = 32;

const FORM = 'application/x-www-form-urlencoded';
const JSON_TYPE = 'application/json';
const PEER_CLIENT = 'client_id=bench&client_secret=a-secret-of-forty-three-characters-for-bench';

/** The same stream on each of the connections. */
export function everywhere(stream: Stream, connections = CONNECTIONS): Stream[] {
  return Array.from({ length: connections }, () => stream);
}

export function get(path: string, contains: string): Stream {
  return { label: path, method: 'GET', path, bodies: [], status: 200, contains };
}

export function postJson(path: string, body: string, contains: string): Stream {
  return post(path, JSON_TYPE, [body], contains);
}

/** Many apps, as in life: each connection goes through all of them. */
export function clientCredentials(apps: readonly TestClient[]): Stream {
  const body = ({ id, secret }: TestClient) =>
    `grant_type=client_credentials&client_id=${id}&client_secret=${secret}&scope=push:send`;
  return post('/auth/token', FORM, apps.map(body), '"access_token":"');
}

/** One chain per connection; each begins with a sign-in of a user of its own. */
export async function refreshChains({ world }: Stage, app: TestClient, chains: number): Promise<Stream[]> {
  const body = JSON.stringify({ refresh_token: '{refresh_token}', app_id: app.id });
  const streams: Stream[] = [];
  for (let index = 0; index < chains; index++) {
    const { refresh_token } = await world.tokens(await world.user(app), app.id);
    streams.push({
      ...post('/token/refresh', JSON_TYPE, [body], '"refresh_token":"'),
      chain: true,
      chained: refresh_token,
    });
  }
  return streams;
}

/** Each token once, shared out among the connections. */
export function refreshEach(appId: string, tokens: readonly string[]): Stream[] {
  const bodies = tokens.map((refresh_token) => JSON.stringify({ refresh_token, app_id: appId }));
  return Array.from({ length: CONNECTIONS }, (_, index) =>
    post(
      '/token/refresh',
      JSON_TYPE,
      bodies.filter((_, number) => number % CONNECTIONS === index),
      '"refresh_token":"',
    ),
  );
}

/** Bodies of /token/verify that each hold another token, made by refreshing. */
export async function verifyBodies(
  stage: Stage,
  app: TestClient,
  count: number,
  chain = refreshChains(stage, app, CONNECTIONS),
): Promise<string[]> {
  const tokens: string[] = [];
  await Promise.all(
    (await chain).map(async (stream) => {
      for (let refresh_token = stream.chained; tokens.length < count;) {
        const { body } = await stage.world.call<{ access_token: string; refresh_token: string }>(
          'POST',
          '/token/refresh',
          { refresh_token, app_id: app.id },
        );
        tokens.push(body.access_token);
        refresh_token = body.refresh_token;
      }
    }),
  );
  return tokens.map((token) => JSON.stringify({ token, audience: app.id }));
}

export function verify(bodies: readonly string[]): Stream {
  return post('/token/verify', JSON_TYPE, bodies, '"valid":true');
}

export async function logins({ world }: Stage, app: TestClient, users: number): Promise<Stream[]> {
  const streams: Stream[] = [];
  for (let index = 0; index < users; index++) {
    const { email, password } = await world.user(app);
    streams.push(
      post('/auth/login', JSON_TYPE, [JSON.stringify({ email, password, app_id: app.id })], '"access_token":"'),
    );
  }
  return streams;
}

export const peer = {
  clientCredentials: (): Stream =>
    post(
      '/token',
      FORM,
      [`grant_type=client_credentials&scope=push:send&resource=urn:bench:api&${PEER_CLIENT}`],
      '"access_token":"eyJ',
    ),
  refreshChains: ({ refreshTokens }: Peer): Stream[] =>
    refreshTokens.map((chained) => ({
      ...post(
        '/token',
        FORM,
        [`grant_type=refresh_token&refresh_token={refresh_token}&${PEER_CLIENT}`],
        '"refresh_token":"',
      ),
      chain: true,
      chained,
    })),
  introspection: ({ opaqueToken }: Peer): Stream =>
    post('/token/introspection', FORM, [`token=${opaqueToken}&${PEER_CLIENT}`], '"active":true'),
};

function post(path: string, contentType: string, bodies: readonly string[], contains: string): Stream {
  return { label: path, method: 'POST', path, contentType, bodies, status: 200, contains };
}
