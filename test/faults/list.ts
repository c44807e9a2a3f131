import type { Fault } from './fault.js';
import { clockJumps, lacksFaketime } from './faults/clock-faults.js';
import { deployAndBack, lacksHistory } from './faults/deploy.js';
import { diskIsFull, lacksTmpfs } from './faults/full-disk.js';
import { apiKillPoints, consoleKillPoints, pageKillPoints, quickKillPoints } from './faults/kill-points-of.js';
import { mailServerFails } from './faults/mail-faults.js';
import { pointInTime } from './faults/point-in-time.js';
import { connectionsCut, oneWayLoss, postgresCrashes, postgresHangs, powerCuts } from './faults/postgres-faults.js';
import { providerFails } from './faults/provider-faults.js';
import { pushReceiversFail } from './faults/push-faults.js';
import { randomKills } from './faults/random-kills.js';
import { redisFails } from './faults/redis-faults.js';
import { rollingRestarts } from './faults/rolling-restarts.js';
import { webhookReceiversFail } from './faults/webhook-faults.js';

/** A part of them, one at least. */
const rounds = (all: number, share: number): number => Math.max(1, Math.round(all * share));

/** In the order of docs/operations.md. */
export const FAULTS: readonly Fault[] = [
  { name: 'F1 kill -9 at each commit of the API', quick: quickKillPoints, run: apiKillPoints },
  { name: 'F1 kill -9 at each commit of pages', run: pageKillPoints },
  { name: 'F1 kill -9 at each commit of the console', run: consoleKillPoints },
  { name: 'F1 kill -9 at random moments', run: ({ share }) => randomKills(rounds(60, share)) },
  { name: 'F2 PostgreSQL crashes', run: ({ share }) => postgresCrashes(rounds(20, share)) },
  { name: 'F3 connections cut', run: ({ share }) => connectionsCut(rounds(200, share)) },
  { name: 'F4 PostgreSQL hangs', run: ({ share }) => postgresHangs(30_000 * share) },
  { name: 'F5 Redis emptied, full, hung and killed', run: ({ share }) => redisFails(10_000 * share) },
  { name: 'F6 mail server fails', run: ({ share }) => mailServerFails(15_000 * share) },
  { name: 'F7 push receivers fail', run: ({ share }) => pushReceiversFail(10_000 * share) },
  { name: 'F8 webhook receivers fail', run: () => webhookReceiversFail(4_000) },
  { name: 'F9 external provider fails', run: () => providerFails(5_000) },
  { name: 'F10 clock jumps', run: () => clockJumps(['+2m', '-2m', '+1h', '-1h']), lacks: lacksFaketime },
  { name: 'F13 disk of PostgreSQL full', run: ({ share }) => diskIsFull(15_000 * share), lacks: lacksTmpfs },
  { name: 'F15 deploy and back', run: deployAndBack, lacks: lacksHistory },
  { name: 'F16 rolling restarts', run: ({ share }) => rollingRestarts(rounds(10, share)) },
  { name: 'F19 one-way loss to PostgreSQL', run: ({ share }) => oneWayLoss(20_000 * share) },
  { name: 'F22 point-in-time recovery', quick: pointInTime, run: pointInTime },
  { name: 'F23 power cut', run: ({ share }) => powerCuts(rounds(10, share)) },
];
