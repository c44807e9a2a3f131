import { Injectable, type OnModuleInit } from '@nestjs/common';
import { gauge } from '../../common/metrics/process-metrics.js';
import { NotificationListener } from './notification-listener.js';

/**
 * Time since the database last answered on the connection that invalidates caches; it does so about once a second.
 * While it does not answer, caches are not used.
 */
@Injectable()
export class CacheAge implements OnModuleInit {
  private confirmedAt = performance.now();

  constructor(private readonly listener: NotificationListener) {}

  onModuleInit(): void {
    const confirm = (): void => void (this.confirmedAt = performance.now());
    this.listener.onReconnect(confirm);
    this.listener.onHeartbeat(confirm);
    gauge(
      { name: 'identity_cache_age_seconds', help: 'Seconds since the database last confirmed that caches are current' },
      (metric) => metric.set((performance.now() - this.confirmedAt) / 1_000),
    );
  }
}
