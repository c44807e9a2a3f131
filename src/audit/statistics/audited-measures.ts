import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { byScope, DailyMeasure, type ScopedCount } from '../../common/statistics/daily-measure.js';
import type { AuditAction } from '../entries/audit-action.js';

const { scopeId, grouping } = byScope('app_id', 'tenant_id');

/** Uses the index on action and time. @returns the statement; its parameters are action, start and end */
export const COUNT_ACTION = `SELECT ${scopeId}, count(*)::int AS count FROM audit_entries
  WHERE action = $1 AND created_at >= $2 AND created_at < $3 ${grouping}`;

abstract class AuditedMeasure extends DailyMeasure {
  protected abstract readonly action: AuditAction;

  override async count(tx: EntityManager, from: Date, to: Date): Promise<ScopedCount[]> {
    return tx.query<ScopedCount[]>(COUNT_ACTION, [this.action, from, to]);
  }
}

/** Completed sign-ins, with any method. */
@Injectable()
export class SignInMeasure extends AuditedMeasure {
  override readonly measure = 'sign_ins';
  protected override readonly action = 'user.login';
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

/** Refused sign-ins: wrong password, suspended, not enrolled and so on. */
@Injectable()
export class FailureMeasure extends AuditedMeasure {
  override readonly measure = 'failures';
  protected override readonly action = 'user.login_failed';
}
