import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { type EntityManager, Repository } from 'typeorm';
import { purgeExpired } from '../../database/purge-expired.js';
import { Statements } from '../../database/statements.js';
import { SignInAttempt } from './sign-in-attempt.entity.js';

export interface Identification {
  readonly userId: string | null;
  readonly authTime: Date | null;
  readonly amr: string[];
  readonly viaSso: boolean;
}

/** Nothing has ended the person's sessions since. */
const NOT_OUTLIVED = 'NOT EXISTS (SELECT 1 FROM users u WHERE u.id = user_id AND u.tokens_valid_from > identified_at)';

@Injectable()
export class SignInAttemptsRepository {
  constructor(
    @InjectRepository(SignInAttempt) private readonly repository: Repository<SignInAttempt>,
    private readonly statements: Statements,
  ) {}

  /** @param seconds until it expires, by the database's clock */
  async insert(
    attempt: Pick<SignInAttempt, 'id' | 'browserHash' | 'appId' | 'request'> & Identification,
    seconds: number,
  ): Promise<void> {
    const row = { ...attempt, expiresAt: () => `now() + make_interval(secs => ${Number(seconds)})` };
    await this.repository.createQueryBuilder().insert().values(row).updateEntity(false).execute();
  }

  /** Alive or finished, of this browser, and not outlived by a reset or the like. */
  findOfBrowser(id: string, browserHash: Buffer): Promise<SignInAttempt | null> {
    return this.repository
      .createQueryBuilder('attempt')
      .where('attempt.id = :id AND attempt.browserHash = :browserHash AND attempt.expiresAt > now()', {
        id,
        browserHash,
      })
      .andWhere(NOT_OUTLIVED)
      .getOne();
  }

  /** Who this is, unless the attempt has been finished meanwhile. */
  async identify(tx: EntityManager, id: string, who: Identification): Promise<boolean> {
    const result = await tx
      .createQueryBuilder()
      .update(SignInAttempt)
      .set({ ...who, identifiedAt: () => 'now()' })
      .where('id = :id AND finishedAt IS NULL', { id })
      .execute();
    return (result.affected ?? 0) > 0;
  }

  /** What the same person has shown beside, unless the attempt is over or somebody else's by now. */
  async strengthen(
    tx: EntityManager,
    id: string,
    { userId, authTime, amr }: { userId: string; authTime: Date; amr: string[] },
  ): Promise<boolean> {
    const result = await tx
      .createQueryBuilder()
      .update(SignInAttempt)
      .set({ amr, viaSso: false })
      .where('id = :id AND userId = :userId AND authTime = :authTime', { id, userId, authTime })
      .andWhere(`finishedAt IS NULL AND expiresAt > now() AND ${NOT_OUTLIVED}`)
      .execute();
    return (result.affected ?? 0) > 0;
  }

  /** One request finishes an attempt, decided by the database. */
  async finish(tx: EntityManager, id: string): Promise<boolean> {
    const result = await tx
      .createQueryBuilder()
      .update(SignInAttempt)
      .set({ finishedAt: () => 'now()' })
      .where('id = :id AND finishedAt IS NULL AND expiresAt > now()', { id })
      .execute();
    return (result.affected ?? 0) > 0;
  }

  purge(): Promise<void> {
    return purgeExpired(this.statements, 'sign_in_attempts');
  }
}
