import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Transactions } from '../../database/transactions.js';
import { EntryCache } from './entry-cache.js';

/**
 * A change that affects which apps an account may enter: one transaction, after which this process clears its cached
 * entry.
 */
@Injectable()
export class AccountChanges {
  constructor(
    private readonly transactions: Transactions,
    private readonly entries: EntryCache,
  ) {}

  async run<T>(userId: string, work: (tx: EntityManager) => Promise<T>): Promise<T> {
    const result = await this.transactions.run(work);
    this.entries.forget(userId);
    return result;
  }
}
