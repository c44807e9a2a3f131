import { Logger } from '@nestjs/common';
import type { Redis } from 'ioredis';

const logger = new Logger('Redis');

/** Reads the section `memory` of the Redis command INFO. @returns null if Redis never removes keys */
export function evictionPolicy(memory: string): string | null {
  const valueOf = (name: string): string | undefined => new RegExp(`^${name}:(.+?)\\r?$`, 'm').exec(memory)?.[1];
  const policy = valueOf('maxmemory_policy');
  const hasLimit = (valueOf('maxmemory') ?? '0') !== '0';
  return hasLimit && policy !== undefined && policy !== 'noeviction' ? policy : null;
}

/**
 * Logs a warning at each connection to a Redis that removes keys when its memory is full: rate limits would begin again,
 * and queues would wait for the next sweep. Managed offers often have such a default.
 */
export function warnOfEviction(redis: Redis): void {
  redis.on('ready', () => {
    redis.info('memory').then(
      (memory) => {
        const policy = evictionPolicy(memory);
        if (policy !== null)
          logger.warn(`maxmemory-policy is ${policy}, so Redis can delete rate limits and jobs. Set it to noeviction.`);
      },
      // Some offers do not allow INFO.
      () => undefined,
    );
  });
}
