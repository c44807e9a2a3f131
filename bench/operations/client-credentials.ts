import { compare } from '../comparison.js';
import { limit, server } from '../contender.js';
import type { Options, Section } from '../report.js';
import type { Stage } from '../stage.js';
import { CONNECTIONS, clientCredentials as ours, everywhere, peer as theirs } from '../streams.js';

const APPS = 64;

/** POST /auth/token, grant client_credentials: one signature, a secret, a limit counted in Redis. */
export async function clientCredentials(stage: Stage, { rounds, seconds }: Options): Promise<Section> {
  const tenant = await stage.world.tenant();
  const apps = [];
  for (let index = 0; index < APPS; index++) apps.push(await stage.world.app(tenant));
  const peer = await stage.peer('memory', CONNECTIONS);
  const results = await compare(
    [
      limit(stage, 'RSA-2048 signatures', './limits/rsa-sign.mjs'),
      server(
        stage,
        'oidc-provider, memory',
        peer.port,
        { service: [peer.pid] },
        everywhere(theirs.clientCredentials()),
      ),
      server(stage, 'identity broker', stage.port, stage.accounts, everywhere(ours(apps))),
    ],
    rounds,
    seconds,
  );
  const [signing, provider, broker] = results;
  return {
    title: 'client_credentials',
    results,
    goals: [
      { what: '× oidc-provider', value: broker!.rate / provider!.rate, floor: 1.1, headline: 1.3, kind: 'least' },
      {
        what: 'signing, % of our CPU',
        value: (100 * signing!.cpu['limit']!) / broker!.cpu['service']!,
        floor: 60,
        headline: 70,
        kind: 'least',
      },
    ],
  };
}
