import { Injectable } from '@nestjs/common';
import { IS_LIVE_SESSION } from '../../../auth/session/live-session.sql.js';
import { Statements } from '../../../database/statements.js';
import { isStillGood } from '../../../enrollment/admission/admission.sql.js';

/** Names of the counts in `GET /admin/users/{user_id}/impact` (docs/conventions.md, section 3). */
export const IMPACT_COUNTS = [
  'enrollments',
  'refresh_tokens',
  'sso_sessions',
  'linked_accounts',
  'passkeys',
  'consents',
  'push_devices',
  'notifications',
  'invites_created',
] as const;
export type ImpactCounts = Readonly<Record<(typeof IMPACT_COUNTS)[number], number>>;

/** Counting stops here, because an app can send a user many notifications. */
const MAX_COUNTED_NOTIFICATIONS = 100_000;
/**
 * Counts only refresh tokens and browser sessions that are still valid. All refresh tokens of one sign-in count once.
 */
const COUNT = {
  name: 'admin.user_impact',
  text: `SELECT
    (SELECT count(*) FROM enrollments WHERE user_id = $1)::int AS enrollments,
    (SELECT count(*) FROM refresh_families f JOIN users u ON u.id = f.user_id
      LEFT JOIN enrollments e ON e.user_id = f.user_id AND e.app_id = f.app_id
      WHERE f.user_id = $1 AND f.revoked_at IS NULL AND f.expires_at > now() AND ${isStillGood('f.created_at')}
    )::int AS refresh_tokens,
    (SELECT count(*) FROM sso_sessions s JOIN users u ON u.id = s.user_id
      WHERE s.user_id = $1 AND ${IS_LIVE_SESSION})::int AS sso_sessions,
    (SELECT count(*) FROM linked_accounts WHERE user_id = $1)::int AS linked_accounts,
    (SELECT count(*) FROM passkeys WHERE user_id = $1)::int AS passkeys,
    (SELECT count(DISTINCT app_id) FROM consents WHERE user_id = $1)::int AS consents,
    (SELECT count(*) FROM push_devices WHERE user_id = $1)::int AS push_devices,
    ((SELECT count(*) FROM (SELECT FROM notifications WHERE user_id = $1 LIMIT ${MAX_COUNTED_NOTIFICATIONS}) AS counted)
      + (SELECT count(*) FROM notification_batches b, unnest(b.user_ids) AS waiting WHERE waiting = $1))::int AS notifications,
    (SELECT count(*) FROM invites WHERE created_by = $1)::int AS invites_created`,
};

/** Counts the rows of a user in the tables of all modules, for the preview of a deletion. */
@Injectable()
export class UserImpactRepository {
  constructor(private readonly statements: Statements) {}

  async count(userId: string): Promise<ImpactCounts> {
    return (await this.statements.run<ImpactCounts & Record<string, unknown>>(COUNT, [userId]))[0]!;
  }
}
