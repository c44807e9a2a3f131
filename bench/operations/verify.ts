import { compare } from '../comparison.js';
import { server } from '../contender.js';
import type { Options, Section } from '../report.js';
import type { Stage } from '../stage.js';
import { CONNECTIONS, everywhere, peer as theirs, verify as ours, verifyBodies } from '../streams.js';

/** More tokens than the service remembers: by the time that one comes again it is forgotten. */
const TOKENS = 8_000;
const KNOWN = 100;

/** POST /token/verify with tokens that were never seen and with tokens that are known. */
export async function verify(stage: Stage, { rounds, seconds }: Options): Promise<Section> {
  const app = await stage.world.app(await stage.world.tenant());
  const bodies = await verifyBodies(stage, app, TOKENS);
  const peer = await stage.peer('memory', CONNECTIONS);
  const share = TOKENS / CONNECTIONS;
  const cold = Array.from({ length: CONNECTIONS }, (_, index) =>
    ours(bodies.slice(index * share, (index + 1) * share)),
  );
  const results = await compare(
    [
      server(
        stage,
        'oidc-provider, introspection',
        peer.port,
        { service: [peer.pid] },
        everywhere(theirs.introspection(peer)),
      ),
      server(stage, 'identity broker, cold', stage.port, stage.accounts, cold),
      server(
        stage,
        'identity broker, known tokens',
        stage.port,
        stage.accounts,
        everywhere(ours(bodies.slice(0, KNOWN))),
      ),
    ],
    rounds,
    seconds,
  );
  const [provider, unknown, known] = results;
  return {
    title: '/token/verify',
    results,
    goals: [
      { what: 'cold × oidc-provider', value: unknown!.rate / provider!.rate, floor: 0.9, headline: 1.1, kind: 'least' },
      { what: 'known × oidc-provider', value: known!.rate / provider!.rate, floor: 2, headline: 3, kind: 'least' },
    ],
  };
}
