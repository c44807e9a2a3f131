import { Processor } from '@nestjs/bull';
import { Test, type TestingModule } from '@nestjs/testing';
import type { Provider } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Clock } from '../../../src/common/clock.js';
import { CommonModule } from '../../../src/common/common.module.js';
import { ConfigModule } from '../../../src/config/config.module.js';
import { DatabaseModule } from '../../../src/database/database.module.js';
import { Transactions } from '../../../src/database/transactions.js';
import type { DeliveryOptions } from '../../../src/delivery/worker/delivery-options.js';
import { DeliveryModule } from '../../../src/delivery/delivery.module.js';
import { JobHandler, type JobMeta } from '../../../src/delivery/worker/job-handler.js';
import { JobNotifier } from '../../../src/delivery/queues/job-notifier.js';
import { OutboxJobs } from '../../../src/delivery/worker/outbox-jobs.js';
import { Outbox, type OutboxOptions } from '../../../src/delivery/outbox/outbox.service.js';
import { QueueProcessor } from '../../../src/delivery/worker/queue-processor.js';
import type { QueueName } from '../../../src/delivery/queues/queues.js';
import { FakeClock } from '../../support/fake-clock.js';
import { testSettings } from '../../support/test-settings.js';

declare module '../../../src/delivery/outbox/jobs.js' {
  interface Jobs {
    'test.note': { readonly text: string };
    'test.poison': Record<string, never>;
    'test.unheard': Record<string, never>;
  }
}

type Behavior = (meta: JobMeta) => Promise<void> | void;

/** Records the jobs that it receives; `behave` decides whether they succeed. */
export class NoteHandler extends JobHandler<'test.note'> {
  override readonly job = 'test.note';
  readonly handled: (Omit<JobMeta, 'finish'> & { readonly text: string })[] = [];
  readonly givenUp: string[] = [];
  behave: Behavior = () => undefined;

  override async handle(payload: { readonly text: string }, meta: JobMeta): Promise<void> {
    const { finish: _, ...said } = meta;
    this.handled.push({ ...said, text: payload.text });
    await this.behave(meta);
  }

  override async gaveUp(_: unknown, meta: JobMeta): Promise<void> {
    this.givenUp.push(meta.id);
  }

  texts(): string[] {
    return this.handled.map(({ text }) => text);
  }
}

export class PoisonHandler extends JobHandler<'test.poison'> {
  override readonly job = 'test.poison';
  behave: Behavior = () => {
    throw new Error('poison');
  };

  override async handle(_: unknown, meta: JobMeta): Promise<void> {
    await this.behave(meta);
  }
}

/** Consumes the queue `tasks`, as the module of the operators' tasks does. */
@Processor('tasks')
class TestTasksProcessor extends QueueProcessor {
  constructor(jobs: OutboxJobs) {
    super(jobs, 'tasks');
  }
}

/** Consumes the queue `mail`, as the module of mails does. */
@Processor('mail')
class TestMailProcessor extends QueueProcessor {
  constructor(jobs: OutboxJobs) {
    super(jobs, 'mail');
  }
}

interface ProcessOptions extends Partial<DeliveryOptions> {
  readonly databaseUrl: string;
  readonly redisUrl?: string | null;
  readonly role?: 'web' | 'worker';
  readonly providers?: Provider[];
}

/**
 * The delivery part of one process of the service, within the test's process. Its clock is fixed, and so far ahead of the
 * database's clock that it always decides when a pause has ended (the later of both clocks does), however slow the machine is.
 */
export class DeliveryProcess {
  readonly clock = new FakeClock(new Date(Date.now() + 600_000));
  readonly notes = new NoteHandler();
  readonly poison = new PoisonHandler();
  private module: TestingModule;

  /** Does not sweep by itself unless `sweepSeconds` is given: the test calls `sweep()`. */
  static async start({ databaseUrl, redisUrl = null, role = 'worker', providers = [], ...options }: ProcessOptions) {
    const one = new DeliveryProcess();
    const settings = testSettings({ databaseUrl, redisUrl });
    const delivery = { sweepSeconds: 3_600, ...options };
    one.module = await Test.createTestingModule({
      imports: [
        CommonModule,
        ConfigModule.register(settings),
        DatabaseModule,
        role === 'web' ? DeliveryModule.forWeb(settings, delivery) : DeliveryModule.forWorker(settings, delivery),
      ],
      providers: [
        { provide: NoteHandler, useValue: one.notes },
        { provide: PoisonHandler, useValue: one.poison },
        TestTasksProcessor,
        TestMailProcessor,
        ...providers,
      ],
    })
      .overrideProvider(Clock)
      .useValue(one.clock)
      .setLogger({ log: () => undefined, warn: () => undefined, error: () => undefined })
      .compile();
    await one.module.init();
    return one;
  }

  get<T>(token: abstract new (...args: never[]) => T): T {
    return this.module.get<T>(token as never, { strict: false });
  }

  get outbox(): Outbox {
    return this.get(Outbox);
  }

  get transactions(): Transactions {
    return this.get(Transactions);
  }

  /** Adds a note in a separate transaction. */
  note(text: string, options: Partial<OutboxOptions> = {}): Promise<string> {
    return this.transactions.run((tx) =>
      this.outbox.add(tx, 'tasks', 'test.note', { text }, { group: null, ...options }),
    );
  }

  /** `test.poison` jobs wait until `letGo()`, and then succeed. */
  hangPoison(): { count: () => number; letGo: () => void; letOneGo: () => void } {
    const waiting: (() => void)[] = [];
    let [count, isOpen] = [0, false];
    const letOneGo = (): void => waiting.shift()?.();
    this.poison.behave = () => {
      count++;
      return isOpen ? undefined : new Promise((resolve) => waiting.push(resolve));
    };
    const letGo = (): void => {
      isOpen = true;
      while (waiting.length > 0) letOneGo();
    };
    return { count: () => count, letGo, letOneGo };
  }

  /** Adds a `test.poison` job. */
  poisonJob(queue: QueueName, group: string | null = null, app: string | null = null): Promise<string> {
    return this.transactions.run((tx) => this.outbox.add(tx, queue, 'test.poison', {}, { group, app }));
  }

  /** Resolves when every job that the sweep found has been attempted. */
  async sweep(): Promise<void> {
    await this.get(JobNotifier).sweep();
    await Promise.all([this.get(TestTasksProcessor).idle(), this.get(TestMailProcessor).idle()]);
  }

  async row(id: string): Promise<Record<string, unknown> | null> {
    return (await this.sql('SELECT * FROM outbox_messages WHERE id = $1', [id]))[0] ?? null;
  }

  async isDone(id: string): Promise<boolean> {
    return Boolean((await this.row(id))?.['done_at']);
  }

  sql(text: string, values: unknown[] = []): Promise<Record<string, unknown>[]> {
    return this.get(DataSource).query(text, values);
  }

  stop(): Promise<void> {
    return this.module.close();
  }
}
