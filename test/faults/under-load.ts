import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { OwnRedis } from '../support/own-redis.js';
import type { ProcessEnvironment } from '../support/service-process.js';
import { SmtpInbox } from '../support/smtp.js';
import { freshDatabase } from '../support/test-database.js';
import { World } from '../support/world.js';
import { Checker } from './checker.js';
import type { Outcome } from './fault.js';
import { Journal } from './journal.js';
import { inWords, Load } from './load.js';
import { Service } from './service.js';

/** Everything that a fault may break while clients are at work. */
export interface Scene {
  readonly service: Service;
  readonly redis: OwnRedis;
  readonly smtp: SmtpInbox;
  readonly world: World;
  readonly load: Load;
  readonly journal: Journal;
}

export interface SceneOptions {
  /** Where the database is; by default an empty one on the run's own server, which does without fsync. */
  readonly databaseUrl?: string;
  /** How web processes and worker reach it, by default directly. */
  readonly through?: string;
  /** How they reach Redis, given its address. */
  readonly redisThrough?: (url: string) => string;
  readonly env?: ProcessEnvironment;
  /** Of the second web process alone. */
  readonly own?: ProcessEnvironment;
  /** Of the checkout whose built service is started. */
  readonly root?: string;
  readonly clients?: number;
  /** Clients ask the first web process, and no balancer decides by its readiness. */
  readonly isDirect?: boolean;
  readonly mailsWithinMs?: number;
}

/**
 * Breaks something under load, lets the service recover, and compares what was acknowledged with what is there.
 * @param breakIt returns figures of its own, and sentences about what must not have happened
 */
export async function underLoad(
  options: SceneOptions,
  breakIt: (scene: Scene) => Promise<{ figures: string; broken?: readonly string[] }>,
): Promise<Outcome> {
  const folder = mkdtempSync(join(tmpdir(), 'broker-faults-'));
  const own = options.databaseUrl ? null : await freshDatabase();
  const databaseUrl = options.databaseUrl ?? own!.url;
  const [redis, smtp] = await Promise.all([OwnRedis.start(), SmtpInbox.start()]);
  const journal = new Journal(join(folder, 'journal'));
  const stops: (() => unknown)[] = [
    () => rmSync(folder, { recursive: true, force: true }),
    () => own?.drop(),
    () => Promise.all([redis.kill(), smtp.stop()]),
    () => journal.close(),
  ];
  try {
    const service = await Service.start(
      {
        DATABASE_URL: options.through ?? databaseUrl,
        REDIS_URL: options.redisThrough?.(redis.url) ?? redis.url,
        MAIL_URL: smtp.url,
        ...options.env,
      },
      options.own,
      options.root,
    );
    stops.push(() => service.stop());
    const world = await World.open(service.address(0), databaseUrl);
    stops.push(() => world.close());
    const load = await Load.begin(options.isDirect ? service.address(0) : service.url, world, journal, options.clients);
    stops.push(() => load.end());
    const { figures, broken = [] } = await breakIt({ service, redis, smtp, world, load, journal });
    await load.end();
    await service.recovered();
    const checker = new Checker(world, journal);
    const mails = await checker.mails(smtp, options.mailsWithinMs);
    const all = [...broken, ...(await checker.check()), ...mails.broken];
    const told = `${journal.entries().length} acknowledged, ${mails.count} mails`;
    return { figures: `${figures}; answers: ${inWords(load.statuses)}; ${told}, ${all.length} wrong`, broken: all };
  } finally {
    for (const stop of stops.reverse()) await stop();
  }
}
