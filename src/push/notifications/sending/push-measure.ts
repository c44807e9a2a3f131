import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { byScope, DailyMeasure, type ScopedCount } from '../../../common/statistics/daily-measure.js';

const { scopeId, grouping } = byScope('p.app_id', 'a.tenant_id');

/** Notifications that apps have sent, from the counters of their quota: a row for each app and day. */
@Injectable()
export class PushMeasure extends DailyMeasure {
  override readonly measure = 'pushes';
  override readonly hasHours = false;

  override count(tx: EntityManager, from: Date, to: Date): Promise<ScopedCount[]> {
    return tx.query<ScopedCount[]>(
      `SELECT ${scopeId}, coalesce(sum(p.used), 0)::int AS count FROM push_usage p JOIN apps a ON a.id = p.app_id
       WHERE p.day >= $1::date AND p.day < $2::date ${grouping}`,
      [from.toISOString().slice(0, 10), to.toISOString().slice(0, 10)],
    );
  }
}
