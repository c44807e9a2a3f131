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

/** In the order of docs/operations.md. */
export const FAULTS: readonly Fault[] = [
  { name: 'F1 kill -9 at each commit of the API', quick: quickKillPoints, run: apiKillPoints },
  { name: 'F1 kill -9 at each commit of pages', run: pageKillPoints },
  { name: 'F1 kill -9 at each commit of the console', run: consoleKillPoints },
  { name: 'F1 kill -9 at random moments', run: () => randomKills(60) },
  { name: 'F2 PostgreSQL crashes', run: () => postgresCrashes(20) },
  { name: 'F3 connections cut', run: () => connectionsCut(200) },
  { name: 'F4 PostgreSQL hangs', run: () => postgresHangs(30_000) },
  { name: 'F5 Redis emptied, full, hung and killed', run: () => redisFails(10_000) },
  { name: 'F6 mail server fails', run: () => mailServerFails(15_000) },
  { name: 'F7 push receivers fail', run: () => pushReceiversFail(10_000) },
  { name: 'F8 webhook receivers fail', run: () => webhookReceiversFail(4_000) },
  { name: 'F9 external provider fails', run: () => providerFails(5_000) },
  { name: 'F10 clock jumps', run: () => clockJumps(['+2m', '-2m', '+1h', '-1h']), lacks: lacksFaketime },
  { name: 'F13 disk of PostgreSQL full', run: () => diskIsFull(15_000), lacks: lacksTmpfs },
  { name: 'F15 deploy and back', run: deployAndBack, lacks: lacksHistory },
  { name: 'F16 rolling restarts', run: () => rollingRestarts(10) },
  { name: 'F19 one-way loss to PostgreSQL', run: () => oneWayLoss(20_000) },
  { name: 'F22 point-in-time recovery', quick: pointInTime, run: pointInTime },
  { name: 'F23 power cut', run: () => powerCuts(10) },
];
