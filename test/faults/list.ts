import type { Fault } from './fault.js';
import { killPoints } from './faults/kill-points.js';
import { randomKills } from './faults/random-kills.js';
import { rollingRestarts } from './faults/rolling-restarts.js';

/** In the order of docs/operations.md. */
export const FAULTS: readonly Fault[] = [
  { name: 'F1 kill -9 at each commit', quick: () => killPoints(true), run: () => killPoints(false) },
  { name: 'F1 kill -9 at random moments', run: () => randomKills(60) },
  { name: 'F16 rolling restarts', run: () => rollingRestarts(10) },
];
