import { Inject, Injectable, type OnApplicationShutdown, ServiceUnavailableException } from '@nestjs/common';
import {
  type HealthCheckResult,
  HealthCheckService,
  type HealthIndicatorResult,
  HealthIndicatorService,
} from '@nestjs/terminus';
import type { Redis } from 'ioredis';
import { openRedis } from '../common/redis-connection.js';
import { SETTINGS, type Settings } from '../config/settings.js';
import { DatabaseHealth } from './database-health.js';
import { HEALTH_TIMEOUT_MS } from './health-timeout.js';

/** The route is public: dependencies are asked at most once in this time, however often it is called. */
const KEPT_MS = 1_000;

/** Whether this process should get traffic: database, migrations, time, Redis if configured, and not shutting down. */
@Injectable()
export class ReadinessService implements OnApplicationShutdown {
  private readonly redis: Redis | null;
  private stopping = false;
  private latest: Promise<HealthCheckResult> | null = null;

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

  /**
   * Concurrent calls share one check, and a result is at most a second old; a stop is seen at once.
   * @throws ServiceUnavailableException with the names of what is down
   */
  async check({ ignoresRedis = false }: { readonly ignoresRedis?: boolean } = {}): Promise<HealthCheckResult> {
    if (!this.stopping) {
      const result = await (this.latest ??= this.checkAll());
      if (!this.stopping) return judged(result, ignoresRedis);
    }
    throw new ServiceUnavailableException({ status: 'shutting_down' });
  }

  private async checkAll(): Promise<HealthCheckResult> {
    try {
      return await this.health.check([
        ...this.database.checks(),
        ...(this.redis ? [() => this.checkRedis(this.redis!)] : []),
      ]);
    } catch (error) {
      if (!(error instanceof ServiceUnavailableException)) throw error;
      return error.getResponse() as HealthCheckResult;
    } finally {
      setTimeout(() => (this.latest = null), KEPT_MS).unref();
    }
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

/** @throws ServiceUnavailableException */
function judged(result: HealthCheckResult, ignoresRedis: boolean): HealthCheckResult {
  if (result.status === 'ok') return result;
  const down = Object.keys(result.error ?? {});
  if (ignoresRedis && down.length === 1 && down[0] === 'redis') return { ...result, status: 'ok' };
  throw new ServiceUnavailableException(result);
}
