import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { type EntityManager, MoreThanOrEqual, Repository } from 'typeorm';
import { User } from '../../../../users/user.entity.js';
import { BackupCode } from './backup-code.entity.js';
import { SecondFactor } from './second-factor.entity.js';

@Injectable()
export class SecondFactorsRepository {
  constructor(
    @InjectRepository(SecondFactor) private readonly factors: Repository<SecondFactor>,
    @InjectRepository(BackupCode) private readonly codes: Repository<BackupCode>,
  ) {}

  find(userId: string, tx?: EntityManager): Promise<SecondFactor | null> {
    return (tx?.getRepository(SecondFactor) ?? this.factors).findOneBy({ userId });
  }

  /** The setup that this session started, so that a page that is shown twice shows the same secret. */
  findUnconfirmed(userId: string, begunIn: string): Promise<SecondFactor | null> {
    return this.factors
      .createQueryBuilder('factor')
      .where('factor.userId = :userId AND factor.confirmedAt IS NULL', { userId })
      .andWhere('factor.begunIn = :begunIn', { begunIn })
      .getOne();
  }

  /** Begins a setup, which replaces an unconfirmed one. @returns whether there is no confirmed one */
  async begin(tx: EntityManager, userId: string, sealedSecret: string, begunIn: string | null): Promise<boolean> {
    const rows = (await tx.query(
      `INSERT INTO second_factors (user_id, sealed_secret, begun_in) VALUES ($1, $2, $3)
       ON CONFLICT ON CONSTRAINT pk_second_factors
         DO UPDATE SET sealed_secret = EXCLUDED.sealed_secret, begun_in = EXCLUDED.begun_in, created_at = now(),
           last_step = 0
         WHERE second_factors.confirmed_at IS NULL
       RETURNING user_id`,
      [userId, sealedSecret, begunIn],
    )) as unknown[];
    return rows.length > 0;
  }

  /** Confirms the setup only once, and only if the secret is still the one that the code was verified with. */
  async confirm(tx: EntityManager, factor: SecondFactor, step: number): Promise<boolean> {
    const { userId, sealedSecret } = factor;
    const result = await tx
      .createQueryBuilder()
      .update(SecondFactor)
      .set({ confirmedAt: () => 'now()', lastStep: String(step) })
      .where('userId = :userId AND sealedSecret = :sealedSecret AND confirmedAt IS NULL', { userId, sealedSecret })
      .execute();
    if (!result.affected) return false;
    await tx.update(User, { id: userId }, { totpEnabledAt: () => 'now()', updatedAt: () => 'now()' });
    return true;
  }

  /** Accepts each time step once, and no earlier one afterwards (RFC 6238, 5.2): one statement compares and stores it. */
  async spendStep(tx: EntityManager, userId: string, step: number): Promise<boolean> {
    const result = await tx
      .createQueryBuilder()
      .update(SecondFactor)
      .set({ lastStep: String(step) })
      .where('userId = :userId AND confirmedAt IS NOT NULL AND lastStep < :step', { userId, step })
      .execute();
    return (result.affected ?? 0) > 0;
  }

  /** @returns whether there was one */
  async remove(tx: EntityManager, userId: string): Promise<boolean> {
    await tx.delete(BackupCode, { userId });
    const result = await tx.delete(SecondFactor, { userId });
    await tx.update(User, { id: userId }, { totpEnabledAt: null, updatedAt: () => 'now()' });
    return (result.affected ?? 0) > 0;
  }

  listUnusedCodes(userId: string, tx?: EntityManager): Promise<BackupCode[]> {
    return (tx?.getRepository(BackupCode) ?? this.codes)
      .createQueryBuilder('code')
      .where('code.userId = :userId AND code.usedAt IS NULL', { userId })
      .getMany();
  }

  async replaceCodes(
    tx: EntityManager,
    userId: string,
    codes: Pick<BackupCode, 'id' | 'salt' | 'codeHash'>[],
  ): Promise<void> {
    await tx.delete(BackupCode, { userId });
    await tx.insert(
      BackupCode,
      codes.map((code) => ({ ...code, userId })),
    );
  }

  async removeCodesSince(tx: EntityManager, userId: string, since: Date): Promise<void> {
    await tx.delete(BackupCode, { userId, createdAt: MoreThanOrEqual(since) });
  }

  /** Atomic: of concurrent callers, one gets true. */
  async spendCode(tx: EntityManager, id: string): Promise<boolean> {
    const result = await tx
      .createQueryBuilder()
      .update(BackupCode)
      .set({ usedAt: () => 'now()' })
      .where('id = :id AND usedAt IS NULL', { id })
      .execute();
    return (result.affected ?? 0) > 0;
  }
}
