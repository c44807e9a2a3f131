import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { gauge } from '../../common/metrics/process-metrics.js';
import { SystemClock } from '../../common/system-clock.js';
import { type ClockReading, NotificationListener, SELECT_CLOCK } from './notification-listener.js';

const ALARM_MS = 5_000;
const NOT_READY_MS = 30_000;
/** Smaller differences are ignored, so that the clock does not jump. */
const NOTICED_MS = 500;

/**
 * The difference between this machine's clock and the database's. Several processes store and compare times, so all use
 * the database's clock: it sets the process's {@link SystemClock} before anything else begins, and again when a
 * heartbeat of the listening connection shows a difference.
 */
@Injectable()
export class ClockSkew implements OnModuleInit {
  private readonly logger = new Logger(ClockSkew.name);
  private readonly gauge = gauge({
    name: 'identity_clock_skew_seconds',
    help: 'Seconds by which the clock of this machine is ahead of the database',
    // The processes of a host share its clock. The maximum would hide a clock that is behind.
    aggregator: 'average',
  });
  private skewMs = 0;
  private isAlarming = false;

  constructor(
    private readonly dataSource: DataSource,
    private readonly listener: NotificationListener,
    private readonly clock: SystemClock,
  ) {}

  async onModuleInit(): Promise<void> {
    const sentAtMs = performance.now();
    const [{ now }] = (await this.dataSource.query(SELECT_CLOCK)) as [{ now: number }];
    this.measured({ sentAtMs, databaseMs: now, receivedAtMs: performance.now() });
    this.listener.onHeartbeat((reading) => this.measured(reading));
  }

  /** Whether the machine's clock is so wrong that other things on the machine are probably wrong too. */
  get isTooGreat(): boolean {
    return Math.abs(this.skewMs) > NOT_READY_MS;
  }

  /** Seconds by which the machine's clock is ahead of the database's. */
  get seconds(): number {
    return this.skewMs / 1_000;
  }

  private measured({ sentAtMs, databaseMs, receivedAtMs }: ClockReading): void {
    const readAtMs = (sentAtMs + receivedAtMs) / 2;
    const uncertaintyMs = (receivedAtMs - sentAtMs) / 2;
    const databaseNowMs = databaseMs + performance.now() - readAtMs;
    this.skewMs = Date.now() - databaseNowMs;
    this.gauge.set(this.seconds);
    const errorMs = this.clock.now().getTime() - databaseNowMs;
    if (Math.abs(errorMs) > NOTICED_MS + uncertaintyMs) this.clock.set(databaseMs, readAtMs);
    const isAlarming = Math.abs(this.skewMs) - uncertaintyMs > ALARM_MS;
    if (isAlarming !== this.isAlarming) this.report(isAlarming);
  }

  private report(isAlarming: boolean): void {
    this.isAlarming = isAlarming;
    const ahead = `${Math.abs(this.seconds).toFixed(1)} s ${this.skewMs > 0 ? 'ahead of' : 'behind'}`;
    if (isAlarming) this.logger.error(`The clock of this machine is ${ahead} that of the database: check NTP on both`);
    else this.logger.log('The clock of this machine agrees with that of the database again');
  }
}
