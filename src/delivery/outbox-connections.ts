import { Inject, Injectable } from '@nestjs/common';
import type { BullRootModuleOptions } from '@nestjs/bull';
import type { Redis } from 'ioredis';
import { closeRedis, openRedis } from '../common/redis-connection.js';
import { SETTINGS, type Settings } from '../config/settings.js';

export const OUTBOX_QUEUE = 'outbox';
/** Name of the one kind of Bull job. */
export const WAKE_UP = 'wake-up';

/** Bull's own commands are few and some move a lot, so they get longer than a request would (milliseconds). */
const BULL_COMMAND_TIMEOUT = 5_000;

/** The Redis connections that Bull asks for: one to a web process, three to a worker. */
@Injectable()
export class OutboxConnections {
  private readonly opened: { readonly connection: Redis; readonly answersAtOnce: boolean }[] = [];
  private closed = false;

  constructor(@Inject(SETTINGS) private readonly settings: Settings) {}

  queueOptions(): BullRootModuleOptions {
    return {
      createClient: (type) => this.open(type === 'client'),
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

  /** Bull insists that connections that block or subscribe wait for a Redis that is away. */
  private open(answersAtOnce: boolean): Redis {
    const connection = openRedis(this.settings.redisUrl!, {
      enableOfflineQueue: true,
      maxRetriesPerRequest: null,
      enableReadyCheck: false,
      commandTimeout: answersAtOnce ? BULL_COMMAND_TIMEOUT : undefined,
      lazyConnect: this.closed,
    });
    this.opened.push({ connection, answersAtOnce });
    // Bull opens them when it first needs them, and that may be in the middle of our stop.
    if (this.closed) connection.disconnect();
    return connection;
  }
}
