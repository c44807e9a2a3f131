import { Injectable } from '@nestjs/common';
import { type HealthIndicatorFunction, type HealthIndicatorResult, HealthIndicatorService } from '@nestjs/terminus';
import { DataSource } from 'typeorm';
import { ClockSkew } from '../database/notifications/clock-skew.js';
import { READ_ONLY } from '../database/connection/impatient-client.js';
import { hasPendingMigrations } from '../database/connection/migrator.js';
import { driverError } from '../database/violated-constraint.js';
import { HEALTH_TIMEOUT_MS } from './health-timeout.js';

/** Fails as a write does, so that a connection to a server that is read-only is closed. */
const CHECK_WRITABLE = `DO $$ BEGIN
  IF current_setting('transaction_read_only')::boolean THEN
    RAISE read_only_sql_transaction;
  END IF;
END $$`;

/** Whether the database answers, accepts writes, has all migrations, and agrees with this machine about the time. */
@Injectable()
export class DatabaseHealth {
  /** Once complete, they stay so: nothing undoes migrations under a process that runs. */
  private areMigrationsComplete = false;

  constructor(
    private readonly indicators: HealthIndicatorService,
    private readonly dataSource: DataSource,
    private readonly skew: ClockSkew,
  ) {}

  checks(): HealthIndicatorFunction[] {
    return [
      () => this.checkDatabase(),
      () => this.checkMigrations(),
      // Only present if it is down, so that the answer of a healthy service does not change.
      ...(this.skew.isTooGreat ? [() => this.indicators.check('clock').down({ skew_seconds: this.skew.seconds })] : []),
    ];
  }

  private async checkDatabase(): Promise<HealthIndicatorResult> {
    const check = this.indicators.check('database');
    try {
      await Promise.race([this.dataSource.query(CHECK_WRITABLE), tooLate()]);
      return check.up();
    } catch (error) {
      return isReadOnly(error) ? check.down({ message: 'read-only' }) : check.down();
    }
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

function isReadOnly(error: unknown): boolean {
  return (driverError(error) as { code?: unknown } | undefined)?.code === READ_ONLY;
}

/** A database that hangs must not block the answer. */
function tooLate(): Promise<never> {
  return new Promise((_, reject) => setTimeout(() => reject(new Error('timeout')), HEALTH_TIMEOUT_MS).unref());
}
