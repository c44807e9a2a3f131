import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { byScope, DailyMeasure, type ScopedCount } from '../../common/statistics/daily-measure.js';

const { scopeId, grouping } = byScope('app_id', 'tenant_id');

/** Uses the index on action and time. The parameters of this and the following statements are start and end. */
const COUNT_SIGN_INS = `SELECT ${scopeId}, count(*)::int AS count FROM audit_entries
  WHERE action = 'user.login' AND created_at >= $1 AND created_at < $2 ${grouping}`;

/** Completed sign-ins, with any method. */
@Injectable()
export class SignInMeasure extends DailyMeasure {
  override readonly measure = 'sign_ins';

  override async count(tx: EntityManager, from: Date, to: Date): Promise<ScopedCount[]> {
    return tx.query<ScopedCount[]>(COUNT_SIGN_INS, [from, to]);
  }
}

/** Uses the same index; `hwk` and `swk` are passkeys (RFC 8176). */
const COUNT_PASSKEY_SIGN_INS = `SELECT ${scopeId}, count(*)::int AS count FROM audit_entries
  WHERE action = 'user.login' AND metadata -> 'amr' ?| ARRAY['hwk', 'swk'] AND created_at >= $1 AND created_at < $2
  ${grouping}`;

/** Completed sign-ins with a passkey. A session that continues at another app counts again. */
@Injectable()
export class PasskeySignInMeasure extends DailyMeasure {
  override readonly measure = 'passkey_sign_ins';

  override async count(tx: EntityManager, from: Date, to: Date): Promise<ScopedCount[]> {
    return tx.query<ScopedCount[]>(COUNT_PASSKEY_SIGN_INS, [from, to]);
  }
}

/** Uses the same index. An entry about many refused sign-ins has their number in `count`. */
export const COUNT_FAILURES = `SELECT ${scopeId},
    coalesce(sum(coalesce((metadata ->> 'count')::int, 1)), 0)::int AS count FROM audit_entries
  WHERE action = 'user.login_failed' AND created_at >= $1 AND created_at < $2 ${grouping}`;

/** Refused sign-ins: wrong password, suspended, not enrolled and so on. */
@Injectable()
export class FailureMeasure extends DailyMeasure {
  override readonly measure = 'failures';

  override async count(tx: EntityManager, from: Date, to: Date): Promise<ScopedCount[]> {
    return tx.query<ScopedCount[]>(COUNT_FAILURES, [from, to]);
  }
}
