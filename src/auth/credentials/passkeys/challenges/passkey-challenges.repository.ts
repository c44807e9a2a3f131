import { Injectable } from '@nestjs/common';
import { purgeExpired } from '../../../../database/purge-expired.js';
import { Statements } from '../../../../database/statements.js';

const INSERT = {
  name: 'auth.insert_passkey_challenge',
  text: `INSERT INTO passkey_challenges (challenge, bound_to, expires_at)
    VALUES ($1, $2, clock_timestamp() + make_interval(secs => $3))`,
};

const TAKE = {
  name: 'auth.take_passkey_challenge',
  text: `DELETE FROM passkey_challenges WHERE challenge = $1 AND bound_to = $2 AND expires_at > clock_timestamp()
    RETURNING 1`,
};

@Injectable()
export class PasskeyChallengesRepository {
  constructor(private readonly statements: Statements) {}

  /** @param seconds until it expires, by the database's clock */
  async insert(challenge: Buffer, boundTo: string, seconds: number): Promise<void> {
    await this.statements.run(INSERT, [challenge, boundTo, seconds]);
  }

  /** One answer, decided by the database: of several requests with the same challenge, one deletes the row. */
  async take(challenge: Buffer, boundTo: string): Promise<boolean> {
    return (await this.statements.run(TAKE, [challenge, boundTo])).length > 0;
  }

  purge(): Promise<void> {
    return purgeExpired(this.statements, 'passkey_challenges');
  }
}
