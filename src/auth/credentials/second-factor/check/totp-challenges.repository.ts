import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { type EntityManager, Repository } from 'typeorm';
import { purgeExpired } from '../../../../database/purge-expired.js';
import { Statements } from '../../../../database/statements.js';
import { issuedAt, issuedUnder } from '../../../../users/issued-at.js';
import type { HeldProof } from '../../../../users/proof-guard.js';
import { TotpChallenge } from './totp-challenge.entity.js';

const MAX_TRIES = 5;

/** Unused, not expired, and the account has not changed since the first factor. */
const LIVE = `challenge.used_at IS NULL AND challenge.expires_at > now()
  AND EXISTS (SELECT 1 FROM users u WHERE u.id = challenge.user_id AND u.tokens_valid_from <= challenge.created_at
    AND u.credentials_version = challenge.credentials_version)`;

@Injectable()
export class TotpChallengesRepository {
  constructor(
    @InjectRepository(TotpChallenge) private readonly challenges: Repository<TotpChallenge>,
    private readonly statements: Statements,
  ) {}

  /** @param seconds until it expires, by the database's clock */
  async insert(
    tx: EntityManager,
    held: HeldProof,
    challenge: Pick<TotpChallenge, 'id' | 'appId' | 'deviceId' | 'authTime' | 'amr' | 'beginsNoSession'>,
    seconds: number,
  ): Promise<void> {
    const { id, appId, deviceId, authTime, amr, beginsNoSession } = challenge;
    await tx.query(
      `INSERT INTO totp_challenges
         (id, user_id, app_id, device_id, auth_time, amr, expires_at, created_at, credentials_version,
          begins_no_session)
       VALUES ($1, $2, $3, $4, $5, $6, clock_timestamp() + make_interval(secs => $7), ${issuedAt('$2')},
         ${issuedUnder('$2')}, $8)`,
      [id, held.userIn(tx), appId, deviceId, authTime, amr, seconds, beginsNoSession],
    );
  }

  /** A valid challenge, with or without remaining attempts. */
  findOpen(id: string): Promise<TotpChallenge | null> {
    return this.challenges.createQueryBuilder('challenge').where(`challenge.id = :id AND ${LIVE}`, { id }).getOne();
  }

  /** Takes one of the attempts in a separate transaction, so that it counts even if the request fails. */
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
