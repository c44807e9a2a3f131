import { Injectable } from '@nestjs/common';
import { OutboxQueue } from './outbox-queue.js';
import { Waker } from './waker.js';

/** Ids pushed in one command. */
const BATCH = 500;
/** While Redis is slow, more than this need not be remembered: the sweep finds them. */
const LONGEST_BACKLOG = 10_000;

/** A process that only hands over, through Bull: web with Redis. */
@Injectable()
export class BullWaker extends Waker {
  private backlog: string[] = [];
  private pushing = false;

  constructor(private readonly queue: OutboxQueue) {
    super();
  }

  override announce(ids: readonly string[]): void {
    if (this.backlog.length < LONGEST_BACKLOG) this.backlog.push(...ids);
    if (!this.pushing) void this.push();
  }

  /** Sweeping is the workers' business. */
  override async sweep(): Promise<void> {}

  /** One command under way at a time; what arrives meanwhile goes together. */
  private async push(): Promise<void> {
    this.pushing = true;
    while (this.backlog.length > 0) {
      if (!(await this.queue.push(this.backlog.splice(0, BATCH)))) this.backlog = [];
    }
    this.pushing = false;
  }
}
