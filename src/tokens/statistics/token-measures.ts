import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { byScope, DailyMeasure, type ScopedCount } from '../../common/statistics/daily-measure.js';

const { scopeId, grouping } = byScope('f.app_id', 'a.tenant_id');

/** Uses the block range index on the issue time: rows are only ever added, so those of a day are adjacent. */
const counting = (what: string): string => `SELECT ${scopeId}, ${what}::int AS count
  FROM refresh_tokens r JOIN refresh_families f ON f.id = r.family_id JOIN apps a ON a.id = f.app_id
  WHERE r.issued_at >= $1 AND r.issued_at < $2 ${grouping}`;

const COUNT_ISSUED = counting('count(*)');
const COUNT_USERS = counting('count(DISTINCT f.user_id)');

/** Issued token pairs, at the sign-in and at each refresh. */
@Injectable()
export class TokensIssuedMeasure extends DailyMeasure {
  override readonly measure = 'tokens_issued';

  override count(tx: EntityManager, from: Date, to: Date): Promise<ScopedCount[]> {
    return tx.query<ScopedCount[]>(COUNT_ISSUED, [from, to]);
  }
}

/** Users who got tokens that day, each once. Includes users whose open app refreshes its tokens. */
@Injectable()
export class ActiveUsersMeasure extends DailyMeasure {
  override readonly measure = 'active_users';

  override count(tx: EntityManager, from: Date, to: Date): Promise<ScopedCount[]> {
    return tx.query<ScopedCount[]>(COUNT_USERS, [from, to]);
  }
}
