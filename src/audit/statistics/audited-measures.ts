import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { byScope, DailyMeasure, type ScopedCount } from '../../common/statistics/daily-measure.js';
import type { AuditAction } from '../entries/audit-action.js';

const { scopeId, grouping } = byScope('app_id', 'tenant_id');

/** By the index on action and time. @returns the statement; its values are an action, from and to */
export const COUNT_ACTION = `SELECT ${scopeId}, count(*)::int AS count FROM audit_entries
  WHERE action = $1 AND created_at >= $2 AND created_at < $3 ${grouping}`;

abstract class AuditedMeasure extends DailyMeasure {
  protected abstract readonly action: AuditAction;

  override async count(tx: EntityManager, from: Date, to: Date): Promise<ScopedCount[]> {
    return tx.query<ScopedCount[]>(COUNT_ACTION, [this.action, from, to]);
  }
}

/** Completed sign-ins, by whatever method. */
@Injectable()
export class SignInMeasure extends AuditedMeasure {
  override readonly measure = 'sign_ins';
  protected override readonly action = 'user.login';
}

/** By the same index; `hwk` and `swk` are passkeys (RFC 8176). */
const COUNT_PASSKEY_SIGN_INS = `SELECT ${scopeId}, count(*)::int AS count FROM audit_entries
  WHERE action = 'user.login' AND metadata -> 'amr' ?| ARRAY['hwk', 'swk'] AND created_at >= $1 AND created_at < $2
  ${grouping}`;

/** Completed sign-ins in which a passkey was shown. A session that goes on at the next app counts again. */
@Injectable()
export class PasskeySignInMeasure extends DailyMeasure {
  override readonly measure = 'passkey_sign_ins';

  override async count(tx: EntityManager, from: Date, to: Date): Promise<ScopedCount[]> {
    return tx.query<ScopedCount[]>(COUNT_PASSKEY_SIGN_INS, [from, to]);
  }
}

/** Sign-ins that were refused: wrong password, suspended, not enrolled and the like. */
@Injectable()
export class FailureMeasure extends AuditedMeasure {
  override readonly measure = 'failures';
  protected override readonly action = 'user.login_failed';
}
