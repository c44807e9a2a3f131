import { compare } from '../comparison.js';
import { server } from '../contender.js';
import { furtherPeers } from '../peers/further.js';
import type { Goal, Options, Section } from '../report.js';
import type { Stage } from '../stage.js';
import { CONNECTIONS, everywhere, get } from '../streams.js';

const JWKS = '/.well-known/jwks.json';
const DISCOVERY = '/.well-known/openid-configuration';

/** The two public documents, beside node:http that answers the same bytes with the same headers. */
export async function documents(stage: Stage, { rounds, seconds, betterAuth }: Options): Promise<Section> {
  const answer = await fetch(`${stage.baseUrl}${JWKS}`, { signal: AbortSignal.timeout(60_000) });
  const bare = await stage.processes.tell<{ port: number }>('./limits/bare-http.mjs', [], {
    body: await answer.text(),
    headers: withoutConnection(answer.headers),
  });
  const peer = await stage.peer('memory', CONNECTIONS);
  const further = await furtherPeers(stage, betterAuth);
  const theirs = { service: [peer.pid] };
  const results = await compare(
    [
      server(stage, 'node:http, same bytes', bare.told.port, { service: [bare.pid] }, everywhere(get(JWKS, '"keys"'))),
      server(stage, 'oidc-provider, JWKS', peer.port, theirs, everywhere(get('/jwks', '"keys"'))),
      server(stage, 'identity broker, JWKS', stage.port, stage.accounts, everywhere(get(JWKS, '"keys"'))),
      server(stage, 'oidc-provider, discovery', peer.port, theirs, everywhere(get(DISCOVERY, '"issuer"'))),
      server(stage, 'identity broker, discovery', stage.port, stage.accounts, everywhere(get(DISCOVERY, '"issuer"'))),
      ...further.flatMap(({ name, port, pid, jwks, discovery }) => [
        server(stage, `${name}, JWKS`, port, { service: [pid] }, jwks),
        ...(discovery ? [server(stage, `${name}, discovery`, port, { service: [pid] }, discovery)] : []),
      ]),
    ],
    rounds,
    seconds,
  );
  const [, theirKeys, ourKeys, theirDiscovery, ourDiscovery] = results;
  // The headline of 1.2 × glewlwyd is, by the figures of the goals' table, 2.4 × oidc-provider.
  const goal = (what: string, value: number): Goal => ({ what, value, floor: 1.5, headline: 2, kind: 'least' });
  return {
    title: 'JWKS and discovery',
    results,
    goals: [
      goal('JWKS × oidc-provider', ourKeys!.rate / theirKeys!.rate),
      goal('discovery × oidc-provider', ourDiscovery!.rate / theirDiscovery!.rate),
    ],
  };
}

function withoutConnection(headers: Headers): Record<string, string> {
  const own = new Set(['connection', 'keep-alive', 'content-length', 'transfer-encoding', 'date']);
  return Object.fromEntries([...headers].filter(([name]) => !own.has(name)));
}
