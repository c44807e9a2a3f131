import { compare } from '../comparison.js';
import { limit, server } from '../contender.js';
import type { Options, Section } from '../report.js';
import type { Stage } from '../stage.js';
import { CONNECTIONS, peer as theirs, refreshChains } from '../streams.js';

/** POST /token/refresh: one durable rotation and one signature; a chain of tokens per connection. */
export async function refresh(stage: Stage, { rounds, seconds }: Options): Promise<Section> {
  const app = await stage.world.app(await stage.world.tenant());
  const [memory, durable] = [await stage.peer('memory', CONNECTIONS), await stage.peer('postgres', CONNECTIONS)];
  const accounts = { service: [durable.pid], postgres: stage.accounts['postgres']! };
  const results = await compare(
    [
      limit(stage, 'RSA-2048 signatures', './limits/rsa-sign.mjs'),
      limit(stage, 'single-row commits', './limits/commits.mjs', stage.databaseUrl),
      server(stage, 'oidc-provider, memory', memory.port, { service: [memory.pid] }, theirs.refreshChains(memory)),
      server(stage, 'oidc-provider, PostgreSQL', durable.port, accounts, theirs.refreshChains(durable)),
      server(stage, 'identity broker', stage.port, stage.accounts, await refreshChains(stage, app, CONNECTIONS)),
    ],
    rounds,
    seconds,
  );
  const [, , inMemory, onPostgres, broker] = results;
  return {
    title: 'refresh, durable',
    results,
    goals: [
      {
        what: '× oidc-provider on PostgreSQL',
        value: broker!.rate / onPostgres!.rate,
        floor: 3,
        headline: 3.5,
        kind: 'least',
      },
      {
        what: '× oidc-provider in memory',
        value: broker!.rate / inMemory!.rate,
        floor: 1,
        headline: 1.25,
        kind: 'least',
      },
    ],
  };
}
