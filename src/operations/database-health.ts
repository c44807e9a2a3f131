import { Injectable } from '@nestjs/common';
import {
  type HealthIndicatorFunction,
  type HealthIndicatorResult,
  HealthIndicatorService,
  TypeOrmHealthIndicator,
} from '@nestjs/terminus';
import { DataSource } from 'typeorm';
import { ClockSkew } from '../database/notifications/clock-skew.js';
import { hasPendingMigrations } from '../database/connection/migrator.js';
import { HEALTH_TIMEOUT_MS } from './health-timeout.js';

/** Whether the database answers, has all migrations, and agrees with this machine about the time. */
@Injectable()
export class DatabaseHealth {
  /** Once complete, they stay so: nothing undoes migrations under a process that runs. */
  private areMigrationsComplete = false;

  constructor(
    private readonly indicators: HealthIndicatorService,
    private readonly database: TypeOrmHealthIndicator,
    private readonly dataSource: DataSource,
    private readonly skew: ClockSkew,
  ) {}

  checks(): HealthIndicatorFunction[] {
    return [
      () => this.database.pingCheck('database', { connection: this.dataSource, timeout: HEALTH_TIMEOUT_MS }),
      () => this.checkMigrations(),
      // Only present if it is down, so that the answer of a healthy service does not change.
      ...(this.skew.isTooGreat ? [() => this.indicators.check('clock').down({ skew_seconds: this.skew.seconds })] : []),
    ];
  }

  private async checkMigrations(): Promise<HealthIndicatorResult> {
    const check = this.indicators.check('migrations');
    try {
      this.areMigrationsComplete ||= !(await Promise.race([this.hasPending(), tooLate()]));
      return this.areMigrationsComplete ? check.up() : check.down({ message: 'pending' });
    } catch {
      return check.down();
    }
  }

  private hasPending(): Promise<boolean> {
    return hasPendingMigrations((text) => this.dataSource.query(text));
  }
}

/** A database that hangs must not block the answer. */
function tooLate(): Promise<never> {
  return new Promise((_, reject) => setTimeout(() => reject(new Error('timeout')), HEALTH_TIMEOUT_MS).unref());
}
