import { Inject, Injectable, Logger, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { DELIVERY_OPTIONS, type DeliveryOptions } from './delivery-options.js';
import { JobNotifier } from '../queues/job-notifier.js';
import { failureReason } from '../engine/failure-reason.js';

/** Sweeps at the start and then every few seconds, in processes that run jobs. */
@Injectable()
export class OutboxSweep implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly logger = new Logger(OutboxSweep.name);
  private timer: NodeJS.Timeout | null = null;

  constructor(
    private readonly notifier: JobNotifier,
    @Inject(DELIVERY_OPTIONS) private readonly options: DeliveryOptions,
  ) {}

  onApplicationBootstrap(): void {
    this.sweep();
    this.timer = setInterval(() => this.sweep(), this.options.sweepSeconds * 1_000).unref();
  }

  onModuleDestroy(): void {
    if (this.timer) clearInterval(this.timer);
  }

  /** Does not wait for the previous sweep, which may be running a long job. */
  private sweep(): void {
    this.notifier.sweep().catch((error: unknown) => this.logger.warn(`Sweep: ${failureReason(error)}`));
  }
}
