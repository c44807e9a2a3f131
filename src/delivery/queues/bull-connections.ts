import { Inject, Injectable } from '@nestjs/common';
import type { BullRootModuleOptions } from '@nestjs/bull';
import type { Redis } from 'ioredis';
import { closeRedis, openRedis } from '../../common/redis-connection.js';
import { SETTINGS, type Settings } from '../../config/settings.js';

/** Name of the only kind of Bull job. */
export const ANNOUNCEMENT_JOB = 'announcement';

/** Data of the Bull job, whose id is that of the row. Earlier versions send no group. */
export interface Announcement {
  readonly group?: string;
}

/** Time limit for Bull's commands: longer than for commands of requests, because some of them move many jobs. */
const BULL_COMMAND_TIMEOUT_MS = 5_000;

/**
 * Longer than a blocking command waits on the server (`drainDelay`), so a connection that is silent for this long is
 * dead.
 */
const MAX_SILENCE_MS = 8_000;

type Purpose = 'client' | 'subscriber' | 'bclient';

/**
 * The Redis connections of Bull. All queues share one for commands and one for subscriptions; each queue that is
 * consumed has a separate one for blocking commands.
 */
@Injectable()
export class BullConnections {
  private readonly opened: { readonly connection: Redis; readonly answersAtOnce: boolean }[] = [];
  private readonly shared = new Map<Purpose, Redis>();
  private closed = false;

  constructor(@Inject(SETTINGS) private readonly settings: Settings) {}

  queueOptions(): BullRootModuleOptions {
    return {
      createClient: (purpose) => (purpose === 'bclient' ? this.open(purpose) : this.share(purpose)),
      settings: { stalledInterval: 10_000, lockDuration: 20_000, retryProcessDelay: 1_000, drainDelay: 5 },
    };
  }

  async close(): Promise<void> {
    this.closed = true;
    const closing: Promise<void>[] = [];
    for (const { connection, answersAtOnce } of this.opened) {
      if (answersAtOnce) closing.push(closeRedis(connection));
      else connection.disconnect();
    }
    await Promise.all(closing);
  }

  private share(purpose: Purpose): Redis {
    const connection = this.shared.get(purpose) ?? this.open(purpose);
    this.shared.set(purpose, connection);
    return connection;
  }

  /** Bull requires that blocking and subscribed connections wait while Redis is unavailable. */
  private open(purpose: Purpose): Redis {
    const answersAtOnce = purpose === 'client';
    const connection = openRedis(this.settings.redisUrl!, {
      enableOfflineQueue: true,
      maxRetriesPerRequest: null,
      enableReadyCheck: false,
      commandTimeout: answersAtOnce ? BULL_COMMAND_TIMEOUT_MS : undefined,
      socketTimeout: MAX_SILENCE_MS,
      lazyConnect: this.closed,
    });
    // Every queue adds listeners to the shared connections.
    connection.setMaxListeners(0);
    this.opened.push({ connection, answersAtOnce });
    // Bull opens connections on first use, which may be during the shutdown.
    if (this.closed) connection.disconnect();
    return connection;
  }
}
