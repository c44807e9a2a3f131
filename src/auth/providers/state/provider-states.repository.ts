import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository } from 'typeorm';
import { purgeExpired } from '../../../database/purge-expired.js';
import { Statements } from '../../../database/statements.js';
import { ProviderState } from './provider-state.entity.js';

export type NewProviderState = Pick<
  ProviderState,
  'stateHash' | 'provider' | 'browserHash' | 'attemptId' | 'linkUserId' | 'fromPage' | 'sealed'
>;

export type UsedProviderState = Pick<ProviderState, 'attemptId' | 'linkUserId' | 'fromPage' | 'sealed' | 'postedName'>;

/**
 * Finds, checks and uses up a state in one statement: of concurrent callbacks with the same state, only one gets the
 * row.
 */
const CONSUME = {
  name: 'providers.consume_state',
  text: `DELETE FROM provider_states
    WHERE state_hash = $1 AND provider = $2 AND browser_hash = ANY($3::bytea[]) AND expires_at > now()
    RETURNING attempt_id AS "attemptId", link_user_id AS "linkUserId", from_page AS "fromPage", sealed,
      posted_name AS "postedName"`,
};

@Injectable()
export class ProviderStatesRepository {
  constructor(
    @InjectRepository(ProviderState) private readonly repository: Repository<ProviderState>,
    private readonly statements: Statements,
  ) {}

  /** @param seconds until it expires, by the database's clock */
  async insert(state: NewProviderState, seconds: number): Promise<void> {
    const row = { ...state, expiresAt: () => `now() + make_interval(secs => ${Number(seconds)})` };
    await this.repository.createQueryBuilder().insert().values(row).updateEntity(false).execute();
  }

  /** @param browserHashes hashes of the secrets in the cookies of the browser */
  async consume(
    stateHash: Buffer,
    provider: string,
    browserHashes: readonly Buffer[],
  ): Promise<UsedProviderState | null> {
    const values = [stateHash, provider, browserHashes];
    const [row] = await this.statements.run<UsedProviderState & Record<string, unknown>>(CONSUME, values);
    return row ?? null;
  }

  /** Stores the name, but only once. Does nothing if the state is unknown or expired. */
  async keepName(stateHash: Buffer, provider: string, postedName: string): Promise<void> {
    await this.repository
      .createQueryBuilder()
      .update(ProviderState)
      .set({ postedName })
      .where('stateHash = :stateHash AND provider = :provider', { stateHash, provider })
      .andWhere('postedName IS NULL AND expiresAt > now()')
      .execute();
  }

  purge(): Promise<void> {
    return purgeExpired(this.statements, 'provider_states');
  }
}
