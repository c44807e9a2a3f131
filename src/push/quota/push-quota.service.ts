import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { type EntityManager, Repository } from 'typeorm';
import { DailyQuotaExceeded } from '../errors/push.errors.js';
import { PushUsage } from './push-usage.entity.js';

/** The database's clock in UTC, so that all processes agree on the day. */
const TODAY = "(now() AT TIME ZONE 'utc')::date";

/** Notifications per app and UTC day, counted per user that they go to. */
@Injectable()
export class PushQuota {
  constructor(@InjectRepository(PushUsage) private readonly usage: Repository<PushUsage>) {}

  /**
   * All or nothing, in the transaction of the send. Of concurrent requests in any processes, those that fit into the
   * quota pass.
   * @throws DailyQuotaExceeded
   */
  async take(tx: EntityManager, appId: string, count: number, quota: number): Promise<void> {
    const rows = (await tx.query(
      `INSERT INTO push_usage AS usage (app_id, day, used) SELECT $1, ${TODAY}, $2::int WHERE $2::int <= $3::int
       ON CONFLICT ON CONSTRAINT pk_push_usage
         DO UPDATE SET used = usage.used + EXCLUDED.used WHERE usage.used + EXCLUDED.used <= $3::int
       RETURNING used`,
      [appId, count, quota],
    )) as unknown[];
    if (rows.length > 0) return;
    const [row] = (await tx.query(
      `SELECT ceil(extract(epoch FROM (${TODAY} + 1)::timestamp AT TIME ZONE 'utc' - now()))::int AS seconds`,
    )) as [{ seconds: number }];
    throw new DailyQuotaExceeded(Math.max(1, row.seconds));
  }

  async usedToday(appId: string): Promise<number> {
    const row = await this.usage
      .createQueryBuilder('usage')
      .where(`usage.appId = :appId AND usage.day = ${TODAY}`, { appId })
      .getOne();
    return row?.used ?? 0;
  }

  /** Deletes the counters of past days. */
  async purge(): Promise<void> {
    await this.usage.query(`DELETE FROM push_usage WHERE day < ${TODAY} - 90`);
  }
}
