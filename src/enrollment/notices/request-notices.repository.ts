import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { type EntityManager, Repository } from 'typeorm';
import { RequestNotice } from './request-notice.entity.js';

/** The next 07:00 UTC. */
const NEXT_DIGEST = `(date_trunc('day', now() AT TIME ZONE 'UTC' - interval '7 hours') + interval '1 day 7 hours')
  AT TIME ZONE 'UTC'`;

/** The mails about requests of each app. Rows are locked until the transaction ends. */
@Injectable()
export class RequestNoticesRepository {
  constructor(@InjectRepository(RequestNotice) private readonly notices: Repository<RequestNotice>) {}

  /** Counts one more mail. @returns the number in this hour, including this one */
  async countMailed(tx: EntityManager, appId: string): Promise<number> {
    const [row] = await tx.query<{ mailed: number }[]>(
      `INSERT INTO request_notices AS known (app_id, mailed) VALUES ($1, 1)
       ON CONFLICT (app_id) DO UPDATE SET
         mailed = CASE WHEN known.window_began_at > now() - interval '1 hour' THEN known.mailed + 1 ELSE 1 END,
         window_began_at = CASE WHEN known.window_began_at > now() - interval '1 hour' THEN known.window_began_at
           ELSE now() END
       RETURNING mailed`,
      [appId],
    );
    return row!.mailed;
  }

  /** Schedules a digest, unless one is scheduled. */
  async scheduleDigest(tx: EntityManager, appId: string): Promise<void> {
    await tx.query(
      `INSERT INTO request_notices AS known (app_id, digest_due_at) VALUES ($1, ${NEXT_DIGEST})
       ON CONFLICT (app_id) DO UPDATE SET digest_due_at = coalesce(known.digest_due_at, EXCLUDED.digest_due_at)`,
      [appId],
    );
  }

  /** Apps whose digest is due, earliest first. */
  async listDue(limit: number): Promise<string[]> {
    const rows = await this.notices.query<{ app_id: string }[]>(
      'SELECT app_id FROM request_notices WHERE digest_due_at <= now() ORDER BY digest_due_at LIMIT $1',
      [limit],
    );
    return rows.map((row) => row.app_id);
  }

  /** @returns whether the digest was still due; this transaction must then send it */
  async takeDigest(tx: EntityManager, appId: string): Promise<boolean> {
    const result = await tx
      .createQueryBuilder()
      .update(RequestNotice)
      .set({ digestDueAt: null })
      .where('appId = :appId AND digestDueAt <= now()', { appId })
      .execute();
    return (result.affected ?? 0) > 0;
  }

  /** After a failure: the digest is due again later, so that those of other apps come first. */
  async postponeDigest(appId: string): Promise<void> {
    await this.notices.query(
      `UPDATE request_notices SET digest_due_at = now() + interval '15 minutes'
       WHERE app_id = $1 AND digest_due_at <= now()`,
      [appId],
    );
  }

  /** Whether an earlier membership or request of the user ended in the last seven days. */
  async endedLately(tx: EntityManager, userId: string, appId: string): Promise<boolean> {
    const rows = await tx.query<unknown[]>(
      `SELECT FROM ended_enrollments WHERE user_id = $1 AND app_id = $2 AND ended_at > now() - interval '7 days'`,
      [userId, appId],
    );
    return rows.length > 0;
  }
}
