import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { type EntityManager, Repository } from 'typeorm';
import { purgeExpired } from '../../../database/purge-expired.js';
import { Statements } from '../../../database/statements.js';
import { PendingIdentity } from './pending-identity.entity.js';

const CONSUME = {
  name: 'providers.consume_pending_identity',
  text: `DELETE FROM pending_identities WHERE token_hash = $1 AND browser_hash = ANY($2::bytea[]) AND expires_at > now()
    RETURNING token_hash AS "tokenHash", browser_hash AS "browserHash", attempt_id AS "attemptId", provider, subject,
      email, email_verified AS "emailVerified", display_name AS "displayName", created_at AS "createdAt",
      expires_at AS "expiresAt"`,
};

@Injectable()
export class PendingIdentitiesRepository {
  constructor(
    @InjectRepository(PendingIdentity) private readonly repository: Repository<PendingIdentity>,
    private readonly statements: Statements,
  ) {}

  /** @param seconds until it expires, by the database's clock */
  async insert(row: Omit<PendingIdentity, 'createdAt' | 'expiresAt'>, seconds: number): Promise<void> {
    const values = { ...row, expiresAt: () => `now() + make_interval(secs => ${Number(seconds)})` };
    await this.repository.createQueryBuilder().insert().values(values).updateEntity(false).execute();
  }

  find(tokenHash: Buffer, browserHashes: readonly Buffer[]): Promise<PendingIdentity | null> {
    return this.repository
      .createQueryBuilder('pending')
      .where('pending.tokenHash = :tokenHash', { tokenHash })
      .andWhere('pending.browserHash = ANY(:browserHashes::bytea[])', { browserHashes })
      .andWhere('pending.expiresAt > now()')
      .getOne();
  }

  async consume(
    tx: EntityManager,
    tokenHash: Buffer,
    browserHashes: readonly Buffer[],
  ): Promise<PendingIdentity | null> {
    const values = [tokenHash, browserHashes];
    const [row] = await this.statements.run<PendingIdentity & Record<string, unknown>>(CONSUME, values, tx);
    return row ?? null;
  }

  purge(): Promise<void> {
    return purgeExpired(this.statements, 'pending_identities');
  }
}
