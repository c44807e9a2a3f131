import { readdirSync } from 'node:fs';
import type { Scene } from '../test/faults/under-load.js';
import { residentMemory } from '../test/support/resident-memory.js';

/** One look at everything that must not grow. */
export interface Sample {
  readonly memory: number;
  readonly workerMemory: number;
  readonly handles: number;
  readonly lag: number;
  readonly connections: number;
  readonly deadRows: number;
  readonly waitingJobs: number;
  readonly limits: number;
  readonly signIns: number;
}

export interface Measure {
  /** In words, with the unit. */
  readonly name: string;
  /** The most that the last third may show, given the first one. */
  readonly most: (first: number) => number;
  /** The same in words. */
  readonly limit: string;
}

export const MEASURES: Readonly<Record<keyof Sample, Measure>> = {
  memory: { name: 'memory of the larger web process, MB', most: (first) => first * 1.1 + 10, limit: '10 % and 10 MB' },
  workerMemory: { name: 'memory of the worker, MB', most: (first) => first * 1.1 + 10, limit: '10 % and 10 MB' },
  handles: { name: 'open handles of all processes', most: (first) => first + 10, limit: '10' },
  lag: {
    name: 'event-loop lag of the slower web process, p99, ms',
    most: (first) => first * 2 + 50,
    limit: '100 % and 50 ms',
  },
  connections: { name: 'connections to PostgreSQL', most: (first) => first + 4, limit: '4' },
  deadRows: { name: 'dead rows', most: (first) => first * 2 + 20_000, limit: '100 % and 20,000' },
  waitingJobs: { name: 'jobs that wait in the outbox', most: (first) => first + 50, limit: '50' },
  // They expire after 15 minutes: flat only after that.
  limits: { name: 'keys in Redis (limits)', most: (first) => first * 3 + 500, limit: '200 % and 500' },
  signIns: { name: 'sign-ins with a refresh token that works', most: (first) => first + 20, limit: '20' },
};

export interface Row {
  readonly measure: Measure;
  readonly first: number;
  readonly last: number;
  readonly isFlat: boolean;
}

const ROWS = `
  SELECT (SELECT count(*)::int FROM pg_stat_activity WHERE datname = current_database()) AS connections,
    (SELECT coalesce(sum(n_dead_tup), 0)::int FROM pg_stat_user_tables) AS "deadRows",
    (SELECT count(*)::int FROM outbox_messages WHERE done_at IS NULL AND dead_at IS NULL AND available_at <= now()) AS "waitingJobs",
    (SELECT count(*)::int FROM refresh_families WHERE revoked_at IS NULL) AS "signIns"`;

export async function takeSample({ service, world, redis }: Scene): Promise<Sample> {
  const { webs, worker } = service;
  const [rows] = await world.sql<Pick<Sample, 'connections' | 'deadRows' | 'waitingJobs' | 'signIns'>>(ROWS);
  const lags = await Promise.all([0, 1].map((index) => eventLoopLag(service.address(index))));
  return {
    ...rows!,
    memory: Math.max(...webs.map(({ pid }) => residentMemory(pid))),
    workerMemory: residentMemory(worker.pid),
    handles: [...webs, worker].reduce((sum, { pid }) => sum + readdirSync(`/proc/${pid}/fd`).length, 0),
    lag: Math.max(...lags),
    limits: await redis.ask((client) => client.dbsize()),
  };
}

/** Medians of the first and the last third, without the first tenth, in which caches and pools fill. */
export function compareThirds(samples: readonly Sample[]): Row[] {
  const warm = samples.slice(Math.floor(samples.length / 10));
  const third = Math.max(1, Math.floor(warm.length / 3));
  return (Object.keys(MEASURES) as (keyof Sample)[]).map((key) => {
    const measure = MEASURES[key];
    const first = median(warm.slice(0, third).map((sample) => sample[key]));
    const last = median(warm.slice(-third).map((sample) => sample[key]));
    return { measure, first, last, isFlat: last <= measure.most(first) };
  });
}

/** Milliseconds. */
async function eventLoopLag(address: string): Promise<number> {
  const text = await (await fetch(`${address}/metrics`)).text();
  return Number(/^nodejs_eventloop_lag_p99_seconds(?:\{[^}]*\})? ([\d.e+-]+)$/m.exec(text)?.[1]) * 1_000;
}

function median(values: readonly number[]): number {
  return [...values].sort((one, other) => one - other)[Math.floor(values.length / 2)]!;
}
