import { Inject, Injectable, type OnApplicationShutdown, ServiceUnavailableException } from '@nestjs/common';
import {
  HealthCheckService,
  HealthIndicatorService,
  TypeOrmHealthIndicator,
  type HealthIndicatorResult,
} from '@nestjs/terminus';
import type { Redis } from 'ioredis';
import { DataSource } from 'typeorm';
import { openRedis } from '../common/redis-connection.js';
import { SETTINGS, type Settings } from '../config/settings.js';
import { hasPendingMigrations } from '../database/migrator.js';

const TIMEOUT_MS = 1_000;

/** Whether this process should get traffic: database, Redis where configured, migrations, and not being stopped. */
@Injectable()
export class ReadinessService implements OnApplicationShutdown {
  private readonly redis: Redis | null;
  private stopping = false;

  constructor(
    private readonly health: HealthCheckService,
    private readonly indicators: HealthIndicatorService,
    private readonly database: TypeOrmHealthIndicator,
    private readonly dataSource: DataSource,
    @Inject(SETTINGS) settings: Settings,
  ) {
    this.redis = settings.redisUrl
      ? openRedis(settings.redisUrl, { lazyConnect: true, commandTimeout: TIMEOUT_MS, socketTimeout: TIMEOUT_MS })
      : null;
  }

  onApplicationShutdown(): void {
    this.redis?.disconnect();
  }

  /** From here on not ready: load balancers turn away before connections close. */
  beginStop(): void {
    this.stopping = true;
  }

  /** @throws ServiceUnavailableException naming what is down */
  check() {
    if (this.stopping) throw new ServiceUnavailableException({ status: 'shutting_down' });
    return this.health.check([
      () => this.database.pingCheck('database', { connection: this.dataSource, timeout: TIMEOUT_MS }),
      () => this.checkMigrations(),
      ...(this.redis ? [() => this.checkRedis(this.redis!)] : []),
    ]);
  }

  private async checkMigrations(): Promise<HealthIndicatorResult> {
    const check = this.indicators.check('migrations');
    try {
      const pending = await Promise.race([hasPendingMigrations((text) => this.dataSource.query(text)), tooLate()]);
      return pending ? check.down({ message: 'pending' }) : check.up();
    } catch {
      return check.down();
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

/** A database that hangs must not hang the answer. */
function tooLate(): Promise<never> {
  return new Promise((_, reject) => setTimeout(() => reject(new Error('timeout')), TIMEOUT_MS).unref());
}
