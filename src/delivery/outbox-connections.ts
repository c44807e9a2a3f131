import { Inject, Injectable } from '@nestjs/common';
import type { BullRootModuleOptions } from '@nestjs/bull';
import type { Redis } from 'ioredis';
import { openRedis } from '../common/redis-connection.js';
import { SETTINGS, type Settings } from '../config/settings.js';

export const OUTBOX_QUEUE = 'outbox';
/** Name of the one kind of Bull job. */
export const WAKE_UP = 'wake-up';

/** The Redis connections that Bull asks for: one to a web process, three to a worker. */
@Injectable()
export class OutboxConnections {
  readonly opened: Redis[] = [];

  constructor(@Inject(SETTINGS) private readonly settings: Settings) {}

  queueOptions(): BullRootModuleOptions {
    return {
      createClient: (type) => {
        // Bull insists on these for the connections that block or subscribe: they wait for Redis to come back.
        const waiting = { enableOfflineQueue: true, maxRetriesPerRequest: null, enableReadyCheck: false };
        const bull =
          type === 'client' ? { ...waiting, commandTimeout: 5_000 } : { ...waiting, commandTimeout: undefined };
        const connection = openRedis(this.settings.redisUrl!, bull);
        this.opened.push(connection);
        return connection;
      },
      // The version check would connect a second too early and print when Redis is away.
      settings: { stalledInterval: 10_000, lockDuration: 20_000, retryProcessDelay: 2_000, drainDelay: 5 },
    };
  }
}
