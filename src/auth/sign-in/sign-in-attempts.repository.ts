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
  readonly sid: string | null;
}

/** Something has ended the person's sessions since. */
const OUTLIVED = 'EXISTS (SELECT 1 FROM users u WHERE u.id = user_id AND u.tokens_valid_from > identified_at)';

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

  /** Alive or finished, of this browser. Who was identified before a reset or the like is nobody any more. */
  async findOfBrowser(id: string, browserHash: Buffer): Promise<SignInAttempt | null> {
    const { entities, raw } = await this.repository
      .createQueryBuilder('attempt')
      .addSelect(OUTLIVED, 'outlived')
      .where('attempt.id = :id AND attempt.browserHash = :browserHash AND attempt.expiresAt > now()', {
        id,
        browserHash,
      })
      .getRawAndEntities<{ outlived: boolean }>();
    const attempt = entities[0] ?? null;
    return attempt && raw[0]?.outlived
      ? { ...attempt, userId: null, authTime: null, amr: [], viaSso: false, sid: null }
      : attempt;
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

  /** The code it brought has been used or declined: nobody asks about it again. */
  async dropInvite(tx: EntityManager, id: string): Promise<void> {
    await tx.query(`UPDATE sign_in_attempts SET request = jsonb_set(request, '{inviteCode}', 'null') WHERE id = $1`, [
      id,
    ]);
  }

  /** What the same person has shown beside, unless the attempt is over or somebody else's by now. */
  async strengthen(
    tx: EntityManager,
    id: string,
    { userId, authTime, amr, sid }: { userId: string; authTime: Date; amr: string[]; sid: string },
  ): Promise<boolean> {
    const result = await tx
      .createQueryBuilder()
      .update(SignInAttempt)
      .set({ amr, viaSso: false, sid })
      .where('id = :id AND userId = :userId AND authTime = :authTime', { id, userId, authTime })
      .andWhere(`finishedAt IS NULL AND expiresAt > now() AND NOT ${OUTLIVED}`)
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
