import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { type PageCursor, writeCursor } from '../common/page-cursor.js';
import { DeadLettersRepository, type JobState, type ListedLetter, type QueueState } from './dead-letters.repository.js';
import { pendingAnnouncements } from './outbox-announcer.js';
import type { DeadLetter } from './outbox.repository.js';

export interface DeadLetterPage {
  readonly letters: readonly ListedLetter[];
  /** Cursor of the next page, if there is one. */
  readonly next: string | null;
}

/** The queue as an operator sees it: how full it is, and what was given up. */
@Injectable()
export class DeadLetters {
  constructor(private readonly repository: DeadLettersRepository) {}

  state(): Promise<QueueState> {
    return this.repository.state();
  }

  byJob(): Promise<JobState[]> {
    return this.repository.byJob();
  }

  /** Newest first. */
  async list(limit: number, after: PageCursor | null): Promise<DeadLetterPage> {
    const found = await this.repository.list(limit + 1, after);
    const letters = found.slice(0, limit);
    return { letters, next: found.length > limit ? writeCursor(letters.at(-1)!) : null };
  }

  find(id: string): Promise<DeadLetter | null> {
    return this.repository.find(id);
  }

  /** Due again, with all its attempts; handed over after the commit. @returns as the repository */
  async retry(tx: EntityManager, id: string): Promise<string | null> {
    const job = await this.repository.revive(tx, id);
    if (job !== null) pendingAnnouncements(tx.queryRunner!).push(id);
    return job;
  }

  discard(tx: EntityManager, id: string): Promise<string | null> {
    return this.repository.discard(tx, id);
  }
}
