import { Inject, Injectable, type OnApplicationShutdown, ServiceUnavailableException } from '@nestjs/common';
import { HealthCheckService, HealthIndicatorService, type HealthIndicatorResult } from '@nestjs/terminus';
import type { Redis } from 'ioredis';
import { openRedis } from '../common/redis-connection.js';
import { SETTINGS, type Settings } from '../config/settings.js';
import { DatabaseHealth } from './database-health.js';
import { HEALTH_TIMEOUT_MS } from './health-timeout.js';

/** Whether this process should get traffic: database, migrations, time, Redis if configured, and not shutting down. */
@Injectable()
export class ReadinessService implements OnApplicationShutdown {
  private readonly redis: Redis | null;
  private stopping = false;

  constructor(
    private readonly health: HealthCheckService,
    private readonly indicators: HealthIndicatorService,
    private readonly database: DatabaseHealth,
    @Inject(SETTINGS) settings: Settings,
  ) {
    this.redis = settings.redisUrl
      ? openRedis(settings.redisUrl, {
          lazyConnect: true,
          commandTimeout: HEALTH_TIMEOUT_MS,
          socketTimeout: HEALTH_TIMEOUT_MS,
        })
      : null;
  }

  onApplicationShutdown(): void {
    this.redis?.disconnect();
  }

  /** Not ready from now on, so that load balancers stop sending requests before connections close. */
  beginStop(): void {
    this.stopping = true;
  }

  /** @throws ServiceUnavailableException with the names of what is down */
  check() {
    if (this.stopping) throw new ServiceUnavailableException({ status: 'shutting_down' });
    return this.health.check([...this.database.checks(), ...(this.redis ? [() => this.checkRedis(this.redis!)] : [])]);
  }

  private async checkRedis(redis: Redis): Promise<HealthIndicatorResult> {
    const check = this.indicators.check('redis');
    try {
      if (redis.status === 'wait' || redis.status === 'end') await redis.connect();
      await redis.ping();
      return check.up();
    } catch {
      return check.down();
    }
  }
}
