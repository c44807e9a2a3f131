import { Injectable, type OnModuleInit } from '@nestjs/common';
import { gauge } from '../../common/metrics/process-metrics.js';
import { NotificationListener } from './notification-listener.js';

/**
 * How long ago the database last answered the connection that invalidates caches, about once a second. While it does not
 * answer, nothing is taken from caches.
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
