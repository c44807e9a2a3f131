import { Injectable } from '@nestjs/common';
import { NIL_UUID } from '../../common/validation/nil-uuid.js';
import type { Effect } from '../../auth/entry/effect.rules.js';
import type { Prediction } from '../../apps/comparisons/change-comparison.entity.js';
import { Statements } from '../../database/statements.js';

export interface ComparedUser extends Record<string, unknown> {
  readonly appId: string;
  readonly userId: string;
  readonly effect: Effect;
}

/** Entries of the audit log about a user at an app since the change. */
export interface SignInsSince extends Record<string, unknown> {
  readonly userId: string;
  readonly hasSignedIn: boolean;
  /** Reasons of refusals. */
  readonly refusals: readonly string[];
}

/** Waits for accounts that are being deleted, and leaves them out. */
const INSERT = {
  name: 'comparison_people.insert',
  text: `INSERT INTO change_comparison_people (audit_entry_id, app_id, user_id, effect)
    SELECT $1, given.app_id, u.id, given.effect
    FROM unnest($2::uuid[], $3::uuid[], $4::text[]) AS given (app_id, user_id, effect)
    JOIN users u ON u.id = given.user_id ORDER BY u.id FOR KEY SHARE OF u
    ON CONFLICT DO NOTHING`,
};
const LIST = {
  name: 'comparison_people.list',
  text: `SELECT app_id AS "appId", user_id AS "userId", effect FROM change_comparison_people
    WHERE audit_entry_id = $1 AND (app_id, user_id) > ($2::uuid, $3::uuid) ORDER BY app_id, user_id LIMIT $4`,
};
const COUNT = {
  name: 'comparison_people.count',
  text: `SELECT effect, count(*)::int AS count FROM change_comparison_people WHERE audit_entry_id = $1 GROUP BY 1`,
};
/** Uses the index of a user's entries. */
const SIGN_INS = {
  name: 'comparison_people.sign_ins',
  text: `SELECT user_id AS "userId", bool_or(action = 'user.login') AS "hasSignedIn",
      coalesce(array_agg(DISTINCT metadata ->> 'reason') FILTER (WHERE outcome = 'denied'), '{}') AS refusals
    FROM audit_entries
    WHERE user_id = ANY($1::uuid[]) AND created_at > $3 AND app_id = $2
      AND (action = 'user.login' OR action = 'user.login_failed' AND outcome = 'denied')
    GROUP BY 1`,
};
const DELETE = {
  name: 'comparison_people.delete',
  text: `WITH gone AS (DELETE FROM change_comparison_people WHERE ctid = ANY (ARRAY(
      SELECT ctid FROM change_comparison_people WHERE audit_entry_id = $1 LIMIT $2)) RETURNING 1)
    SELECT count(*)::int AS count FROM gone`,
};

/** Lists that are older than any comparison, because a step was lost. */
const OUTDATED = {
  name: 'comparison_people.outdated',
  text: `SELECT audit_entry_id AS id FROM change_comparisons c WHERE changed_at < now() - make_interval(days => $1)
    AND EXISTS (SELECT FROM change_comparison_people p WHERE p.audit_entry_id = c.audit_entry_id)`,
};
/** A comparison takes a week, and a failed step is retried for hours. */
const KEPT_DAYS = 10;

const DELETED_AT_ONCE = 5_000;

/** All statements on `change_comparison_people`. */
@Injectable()
export class ComparisonUsersRepository {
  constructor(private readonly statements: Statements) {}

  /** Does not change existing rows. */
  async insert(id: string, users: readonly ComparedUser[]): Promise<void> {
    if (users.length === 0) return;
    const columns = [users.map(({ appId }) => appId), users.map(({ userId }) => userId)];
    await this.statements.run(INSERT, [id, ...columns, users.map(({ effect }) => effect)]);
  }

  /** Ordered by app. */
  async list(id: string, after: ComparedUser | null, limit: number): Promise<ComparedUser[]> {
    const values = [id, after?.appId ?? NIL_UUID, after?.userId ?? NIL_UUID, limit];
    return this.statements.run<ComparedUser>(LIST, values);
  }

  async count(id: string): Promise<Prediction> {
    const rows = await this.statements.run<{ effect: string; count: number }>(COUNT, [id]);
    return Object.fromEntries(rows.map(({ effect, count }) => [effect, count]));
  }

  listSignIns(appId: string, userIds: readonly string[], since: Date): Promise<SignInsSince[]> {
    return this.statements.run<SignInsSince>(SIGN_INS, [userIds, appId, since]);
  }

  /** One transaction per batch. */
  async deleteAll(id: string): Promise<void> {
    for (let count = DELETED_AT_ONCE; count === DELETED_AT_ONCE;) {
      const [row] = await this.statements.run<{ count: number }>(DELETE, [id, DELETED_AT_ONCE]);
      count = row!.count;
    }
  }

  /** Deletes lists that no step has deleted. */
  async purge(): Promise<void> {
    for (const { id } of await this.statements.run<{ id: string }>(OUTDATED, [KEPT_DAYS])) await this.deleteAll(id);
  }
}
