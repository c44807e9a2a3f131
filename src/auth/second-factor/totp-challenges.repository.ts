import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { type EntityManager, Repository } from 'typeorm';
import { purgeExpired } from '../../database/purge-expired.js';
import { Statements } from '../../database/statements.js';
import { TotpChallenge } from './totp-challenge.entity.js';

const MAX_TRIES = 5;

/** Not used, not too old, and begun after whatever ended the person's sessions (a reset). */
const LIVE = `challenge.used_at IS NULL AND challenge.expires_at > now()
  AND NOT EXISTS (SELECT 1 FROM users u WHERE u.id = challenge.user_id AND u.tokens_valid_from > challenge.created_at)`;

@Injectable()
export class TotpChallengesRepository {
  constructor(
    @InjectRepository(TotpChallenge) private readonly challenges: Repository<TotpChallenge>,
    private readonly statements: Statements,
  ) {}

  /** @param seconds until it expires, by the database's clock */
  async insert(
    challenge: Pick<TotpChallenge, 'id' | 'userId' | 'appId' | 'deviceId' | 'authTime' | 'amr'>,
    seconds: number,
  ): Promise<void> {
    const row = { ...challenge, expiresAt: () => `now() + make_interval(secs => ${Number(seconds)})` };
    await this.challenges.createQueryBuilder().insert().values(row).updateEntity(false).execute();
  }

  /** Alive, with a try left. */
  findOpen(id: string): Promise<TotpChallenge | null> {
    return this.challenges
      .createQueryBuilder('challenge')
      .where(`challenge.id = :id AND challenge.failures < ${MAX_TRIES} AND ${LIVE}`, { id })
      .getOne();
  }

  /** Takes one of the tries, in a transaction of its own: it counts whatever becomes of the request. */
  async take(id: string): Promise<boolean> {
    const [, affected] = (await this.challenges.query(
      `UPDATE totp_challenges challenge SET failures = failures + 1
       WHERE challenge.id = $1 AND challenge.failures < ${MAX_TRIES} AND ${LIVE}`,
      [id],
    )) as [unknown, number];
    return affected > 0;
  }

  /** One use, decided by the database. */
  async consume(tx: EntityManager, id: string): Promise<boolean> {
    const [, affected] = (await tx.query(
      `UPDATE totp_challenges challenge SET used_at = now() WHERE challenge.id = $1 AND ${LIVE}`,
      [id],
    )) as [unknown, number];
    return affected > 0;
  }

  purge(): Promise<void> {
    return purgeExpired(this.statements, 'totp_challenges');
  }
}
