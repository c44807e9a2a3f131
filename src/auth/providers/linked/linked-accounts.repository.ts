import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { type EntityManager, MoreThanOrEqual, Repository } from 'typeorm';
import { translateViolation } from '../../../database/violated-constraint.js';
import { LinkedElsewhere } from './linked-accounts.errors.js';
import { LinkedAccount } from './linked-account.entity.js';

@Injectable()
export class LinkedAccountsRepository {
  constructor(@InjectRepository(LinkedAccount) private readonly repository: Repository<LinkedAccount>) {}

  findIdentity(provider: string, subject: string, tx?: EntityManager): Promise<LinkedAccount | null> {
    const repository = tx?.getRepository(LinkedAccount) ?? this.repository;
    return repository.findOneBy({ provider: provider as LinkedAccount['provider'], subject });
  }

  /** Oldest first. */
  listOf(userId: string): Promise<LinkedAccount[]> {
    return this.repository.find({ where: { userId }, order: { linkedAt: 'ASC', id: 'ASC' } });
  }

  /** The linked accounts of several users, ordered by provider and subject. */
  listOfAll(userIds: readonly string[]): Promise<LinkedAccount[]> {
    return this.repository
      .createQueryBuilder('linked')
      .where('linked.userId = ANY(:userIds)', { userIds })
      .orderBy('linked.provider')
      .addOrderBy('linked.subject')
      .getMany();
  }

  /**
   * Skips identities that already open an account.
   * @returns ids of the inserted rows
   */
  async insertMissing(tx: EntityManager, rows: readonly Omit<LinkedAccount, 'linkedAt'>[]): Promise<Set<string>> {
    const result = await tx
      .createQueryBuilder()
      .insert()
      .into(LinkedAccount)
      .values([...rows])
      .orIgnore()
      .returning(['id'])
      .execute();
    return new Set((result.raw as { id: string }[]).map((row) => row.id));
  }

  /**
   * The linked accounts of a user, locked until the transaction ends: of two concurrent removals, the second sees the
   * result of the first.
   */
  lockOf(tx: EntityManager, userId: string): Promise<LinkedAccount[]> {
    return tx
      .getRepository(LinkedAccount)
      .find({ where: { userId }, order: { id: 'ASC' }, lock: { mode: 'pessimistic_write' } });
  }

  /** @throws LinkedElsewhere if the unique constraint finds that the identity is already linked */
  async insert(tx: EntityManager, row: Omit<LinkedAccount, 'linkedAt'>): Promise<void> {
    await tx
      .insert(LinkedAccount, row)
      .catch((error: unknown) =>
        translateViolation(error, { uq_linked_accounts_identity: () => new LinkedElsewhere() }),
      );
  }

  async delete(tx: EntityManager, id: string): Promise<void> {
    await tx.delete(LinkedAccount, { id });
  }

  /**
   * @param since only those that were linked at this time or later
   * @returns the number of deleted links
   */
  async deleteOf(tx: EntityManager, userId: string, since?: Date): Promise<number> {
    const result = await tx.delete(LinkedAccount, { userId, ...(since ? { linkedAt: MoreThanOrEqual(since) } : {}) });
    return result.affected ?? 0;
  }
}
