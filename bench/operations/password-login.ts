import { compare } from '../comparison.js';
import { limit, server } from '../contender.js';
import { furtherPeers } from '../peers/further.js';
import type { Options, Section } from '../report.js';
import { BCRYPT_COST, type Stage } from '../stage.js';
import { CONNECTIONS, logins } from '../streams.js';

/** POST /auth/login: one bcrypt comparison, three rows and an audit entry in one transaction, one signature. */
export async function passwordLogin(stage: Stage, { rounds, seconds, betterAuth }: Options): Promise<Section> {
  const app = await stage.world.app(await stage.world.tenant());
  const further = await furtherPeers(stage, betterAuth);
  const results = await compare(
    [
      limit(stage, 'bcrypt on all cores', './limits/bcrypt.mjs', String(BCRYPT_COST)),
      server(stage, 'identity broker', stage.port, stage.accounts, await logins(stage, app, CONNECTIONS)),
      ...further.map(({ name, port, pid, logins: theirs }) => server(stage, name, port, { service: [pid] }, theirs)),
    ],
    rounds,
    seconds * 2,
  );
  const [bcrypt, broker] = results;
  return {
    title: `password login (bcrypt cost ${BCRYPT_COST})`,
    results,
    goals: [
      {
        what: '% of the bcrypt limit',
        value: (100 * broker!.rate) / bcrypt!.rate,
        floor: 95,
        headline: 97,
        kind: 'least',
      },
    ],
  };
}
