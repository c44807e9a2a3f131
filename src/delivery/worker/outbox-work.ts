import type { Clock } from '../../common/clock.js';
import { type Claim, claimOf, QueueWork } from '../engine/queue-work.js';
import type { JobRunner } from './job-runner.js';
import type { ClaimedMessage, OutboxRepository } from '../outbox/outbox.repository.js';
import type { QueueName } from '../queues/queues.js';

/** The jobs of one queue: rows of the outbox, in groups. */
export class OutboxWork extends QueueWork<ClaimedMessage> {
  constructor(
    readonly name: QueueName,
    private readonly repository: OutboxRepository,
    private readonly runner: JobRunner,
    private readonly clock: Clock,
  ) {
    super();
  }

  override async claim(group: string, limit: number, leaseSeconds: number): Promise<Claim<ClaimedMessage>> {
    return claimOf(await this.repository.claimDue(this.name, group, this.clock.now(), { limit, leaseSeconds }), limit);
  }

  claimOne(id: string, leaseSeconds: number): Promise<ClaimedMessage | null> {
    return this.repository.claim(id, this.clock.now(), leaseSeconds);
  }

  /** @returns null: the sweep finds the next attempt */
  override async attempt(message: ClaimedMessage): Promise<null> {
    await this.runner.run(message);
    return null;
  }

  override kindOf({ job }: ClaimedMessage): string {
    return job;
  }

  override timedOut(message: ClaimedMessage, error: Error): Promise<void> {
    return this.runner.fail(message, error);
  }

  override renew(messages: readonly ClaimedMessage[], leaseSeconds: number): Promise<void> {
    return this.repository.renew(messages, leaseSeconds);
  }

  override release(messages: readonly ClaimedMessage[]): Promise<void> {
    return this.repository.release(messages);
  }

  override listDue(): Promise<string[]> {
    return this.repository.listGroups(this.name, this.clock.now(), 0);
  }
}
