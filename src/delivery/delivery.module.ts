import { BullModule, getQueueToken } from '@nestjs/bull';
import { type DynamicModule, Module, type Provider } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { TypeOrmModule } from '@nestjs/typeorm';
import type { Queue } from 'bull';
import type { Settings } from '../config/settings.js';
import { BullConnections } from './queues/bull-connections.js';
import { BullConnectionsModule } from './queues/bull-connections.module.js';
import { BullConsumer } from './queues/bull-consumer.js';
import { BullNotifier } from './queues/bull-notifier.js';
import { BullQueues } from './queues/bull-queues.js';
import { BullSweepingNotifier } from './worker/bull-sweeping-notifier.js';
import { DeadLetters } from './outbox/dead-letters.js';
import { DeadLettersRepository } from './outbox/dead-letters.repository.js';
import { DEFAULT_DELIVERY_OPTIONS, DELIVERY_OPTIONS, type DeliveryOptions } from './worker/delivery-options.js';
import { InProcessNotifier } from './worker/in-process-notifier.js';
import { JobHandlers } from './worker/job-handlers.js';
import { JobNotifier } from './queues/job-notifier.js';
import { JobRunner } from './worker/job-runner.js';
import { NoopNotifier } from './queues/noop-notifier.js';
import { OutboxAnnouncer } from './outbox/outbox-announcer.js';
import { OutboxJobs } from './worker/outbox-jobs.js';
import { OutboxMessage } from './outbox/outbox-message.entity.js';
import { OutboxPurge } from './outbox/outbox-purge.js';
import { OutboxSweep } from './worker/outbox-sweep.js';
import { OutboxRepository } from './outbox/outbox.repository.js';
import { Outbox } from './outbox/outbox.service.js';
import { PeriodicRunner } from './periodic/periodic-runner.js';
import { QueueProcessors } from './worker/queue-processors.js';
import { QUEUES } from './queues/queues.js';

const BULL = BullModule.registerQueueAsync(
  ...QUEUES.map((name) => ({
    name,
    imports: [BullConnectionsModule],
    inject: [BullConnections],
    useFactory: (connections: BullConnections) => connections.queueOptions(),
  })),
);
const BULL_QUEUES: Provider = {
  provide: BullQueues,
  inject: [BullConnections, ...QUEUES.map((name) => getQueueToken(name))],
  useFactory: (connections: BullConnections, ...queues: Queue[]) => new BullQueues(connections, queues),
};

/**
 * Providers of every process. Modules that own jobs bring their processors along, even if this process does not use
 * them.
 */
const COMMON: Provider[] = [
  Outbox,
  OutboxRepository,
  OutboxAnnouncer,
  OutboxJobs,
  JobRunner,
  JobHandlers,
  DeadLetters,
  DeadLettersRepository,
];
/** The providers of a process that runs jobs. */
const RUNNING: Provider[] = [QueueProcessors, OutboxSweep, PeriodicRunner, OutboxPurge];

/**
 * Background work: the outbox table, one queue for each kind of work (with Bull, or within the process if there is no
 * Redis), and periodic housekeeping. It defines no jobs: processors, handlers and payload types come from the feature
 * modules.
 */
@Module({})
export class DeliveryModule {
  /** Adds and announces jobs. Without a worker (embedded mode, or no Redis), it also runs them. */
  static forWeb(settings: Settings, options: Partial<DeliveryOptions> = {}): DynamicModule {
    if (settings.embedded || !settings.redisUrl) return this.forWorker(settings, options);
    return this.assemble(
      options,
      [BULL, BullConnectionsModule],
      [BULL_QUEUES, { provide: JobNotifier, useClass: BullNotifier }],
    );
  }

  /** Runs jobs and housekeeping, and can add jobs. */
  static forWorker(settings: Settings, options: Partial<DeliveryOptions> = {}): DynamicModule {
    return settings.redisUrl
      ? this.assemble(
          options,
          [BULL, BullConnectionsModule],
          [...RUNNING, BULL_QUEUES, BullConsumer, { provide: JobNotifier, useClass: BullSweepingNotifier }],
        )
      : this.assemble(options, [], [...RUNNING, { provide: JobNotifier, useClass: InProcessNotifier }]);
  }

  /** Only adds jobs. A command runs none. */
  static forCommandLine(): DynamicModule {
    return this.assemble({}, [], [{ provide: JobNotifier, useClass: NoopNotifier }]);
  }

  /** Global, so that feature modules need not know which kind of process they are in. */
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
      exports: [Outbox, OutboxJobs, DeadLetters],
    };
  }
}
