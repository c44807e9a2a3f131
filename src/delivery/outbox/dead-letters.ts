import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { type PageCursor, writeCursor } from '../../common/lists/page-cursor.js';
import {
  type DeadLetter,
  DeadLettersRepository,
  type JobState,
  type ListedLetter,
  type OutboxState,
  type QueueState,
} from './dead-letters.repository.js';
import { pendingAnnouncements } from './outbox-announcer.js';

export interface DeadLetterPage {
  readonly letters: readonly ListedLetter[];
  /** Cursor of the next page, if there is one. */
  readonly next: string | null;
}

/** The queues for operators: their lengths and their dead letters. */
@Injectable()
export class DeadLetters {
  constructor(private readonly repository: DeadLettersRepository) {}

  state(): Promise<OutboxState> {
    return this.repository.state();
  }

  byQueue(): Promise<QueueState[]> {
    return this.repository.byQueue();
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

  /**
   * Makes the job due again, with all its attempts; announced after the commit. @returns the name of the job, or null
   * as in the repository
   */
  async retry(tx: EntityManager, id: string): Promise<string | null> {
    const revived = await this.repository.revive(tx, id);
    if (!revived) return null;
    pendingAnnouncements(tx.queryRunner!).push({ queue: revived.queue, id, group: revived.group });
    return revived.job;
  }

  discard(tx: EntityManager, id: string): Promise<string | null> {
    return this.repository.discard(tx, id);
  }
}
