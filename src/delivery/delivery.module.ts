import { BullModule } from '@nestjs/bull';
import { type DynamicModule, Module, type Provider } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { TypeOrmModule } from '@nestjs/typeorm';
import type { Settings } from '../config/settings.js';
import { BullSweepingWaker } from './bull-sweeping-waker.js';
import { BullWaker } from './bull-waker.js';
import { DeadLetters } from './dead-letters.js';
import { DeadLettersRepository } from './dead-letters.repository.js';
import { DEFAULT_DELIVERY_OPTIONS, DELIVERY_OPTIONS, type DeliveryOptions } from './delivery-options.js';
import { InProcessWaker } from './in-process-waker.js';
import { JobExecutor } from './job-executor.js';
import { JobHandlers } from './job-handlers.js';
import { OutboxAnnouncer } from './outbox-announcer.js';
import { OUTBOX_QUEUE, OutboxConnections } from './outbox-connections.js';
import { OutboxMessage } from './outbox-message.entity.js';
import { OutboxPurge } from './outbox-purge.js';
import { OutboxQueue } from './outbox-queue.js';
import { OutboxSweep } from './outbox-sweep.js';
import { OutboxConnectionsModule } from './outbox-connections.module.js';
import { OutboxConsumer } from './outbox-consumer.js';
import { OutboxRepository } from './outbox.repository.js';
import { Outbox } from './outbox.service.js';
import { PeriodicRunner } from './periodic-runner.js';
import { SilentWaker } from './silent-waker.js';
import { Waker } from './waker.js';

const BULL = BullModule.registerQueueAsync({
  name: OUTBOX_QUEUE,
  imports: [OutboxConnectionsModule],
  inject: [OutboxConnections],
  useFactory: (connections: OutboxConnections) => connections.queueOptions(),
});

const COMMON: Provider[] = [Outbox, OutboxRepository, OutboxAnnouncer, DeadLetters, DeadLettersRepository];
/** What a process has that runs jobs. */
const RUNNING: Provider[] = [JobExecutor, JobHandlers, OutboxSweep, PeriodicRunner, OutboxPurge];

/**
 * Background work: the outbox table, its way through Bull (or within the process when there is no Redis), and periodic
 * housekeeping. It knows no job by itself: handlers and payload types come from the feature modules.
 */
@Module({})
export class DeliveryModule {
  /** Adds and hands over. Where no worker exists (embedded mode, or no Redis) it runs the jobs as well. */
  static forWeb(settings: Settings, options: Partial<DeliveryOptions> = {}): DynamicModule {
    if (settings.embedded || !settings.redisUrl) return this.forWorker(settings, options);
    return this.assemble(
      options,
      [BULL, OutboxConnectionsModule],
      [OutboxQueue, { provide: Waker, useClass: BullWaker }],
    );
  }

  /** Runs jobs and housekeeping; may add jobs, too. */
  static forWorker(settings: Settings, options: Partial<DeliveryOptions> = {}): DynamicModule {
    return settings.redisUrl
      ? this.assemble(
          options,
          [BULL, OutboxConnectionsModule],
          [...RUNNING, OutboxQueue, OutboxConsumer, { provide: Waker, useClass: BullSweepingWaker }],
        )
      : this.assemble(options, [], [...RUNNING, { provide: Waker, useClass: InProcessWaker }]);
  }

  /** Only adds; nothing runs in a command's short life. */
  static forCommandLine(options: Partial<DeliveryOptions> = {}): DynamicModule {
    return this.assemble(options, [], [{ provide: Waker, useClass: SilentWaker }]);
  }

  /** Global, so that a feature module needs no word about where it runs. */
  private static assemble(
    options: Partial<DeliveryOptions>,
    imports: DynamicModule['imports'] & object,
    providers: Provider[],
  ): DynamicModule {
    return {
      module: DeliveryModule,
      global: true,
      imports: [DiscoveryModule, TypeOrmModule.forFeature([OutboxMessage]), ...imports],
      providers: [
        ...COMMON,
        ...providers,
        { provide: DELIVERY_OPTIONS, useValue: { ...DEFAULT_DELIVERY_OPTIONS, ...options } satisfies DeliveryOptions },
      ],
      exports: [Outbox, DeadLetters],
    };
  }
}
