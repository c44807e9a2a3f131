import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { type EntityManager, Repository } from 'typeorm';
import { TotpChallenge } from './totp-challenge.entity.js';

const MAX_FAILURES = 5;

/** Not used, not too old, not failed too often, and begun after whatever ended the person's sessions (a reset). */
const LIVE = `challenge.used_at IS NULL AND challenge.expires_at > now() AND challenge.failures < ${MAX_FAILURES}
  AND NOT EXISTS (SELECT 1 FROM users u WHERE u.id = challenge.user_id AND u.tokens_valid_from > challenge.created_at)`;

@Injectable()
export class TotpChallengesRepository {
  constructor(@InjectRepository(TotpChallenge) private readonly challenges: Repository<TotpChallenge>) {}

  /** @param seconds until it expires, by the database's clock */
  async insert(
    challenge: Pick<TotpChallenge, 'id' | 'userId' | 'appId' | 'deviceId' | 'authTime' | 'amr'>,
    seconds: number,
  ): Promise<void> {
    const row = { ...challenge, expiresAt: () => `now() + make_interval(secs => ${Number(seconds)})` };
    await this.challenges.createQueryBuilder().insert().values(row).updateEntity(false).execute();
  }

  findLive(id: string): Promise<TotpChallenge | null> {
    return this.challenges.createQueryBuilder('challenge').where(`challenge.id = :id AND ${LIVE}`, { id }).getOne();
  }

  /** One use, decided by the database. */
  async consume(tx: EntityManager, id: string): Promise<boolean> {
    const [, affected] = (await tx.query(
      `UPDATE totp_challenges challenge SET used_at = now() WHERE challenge.id = $1 AND ${LIVE}`,
      [id],
    )) as [unknown, number];
    return affected > 0;
  }

  /** In a transaction of its own: the failure counts whatever becomes of the request. */
  async countFailure(id: string): Promise<void> {
    await this.challenges.increment({ id }, 'failures', 1);
  }

  async purge(): Promise<void> {
    await this.challenges.query(`DELETE FROM totp_challenges WHERE expires_at < now() - interval '1 day'`);
  }
}
