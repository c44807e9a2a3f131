import type { EntityManager } from 'typeorm';
import { ENDED_AT } from '../../../users/issued-at.js';

/** Once for each sign-in: the holder of a spent token must not end, again and again, what is planned with other sign-ins. */
const END_PLANS = `
  INSERT INTO ended_plans (user_id, app_id, ended_at)
  SELECT user_id, app_id, ${ENDED_AT}
  FROM refresh_families WHERE id = $1 AND revoked_at IS NOT NULL
  ON CONFLICT ON CONSTRAINT pk_ended_plans DO UPDATE SET ended_at = excluded.ended_at
  WHERE ended_plans.ended_at <= (SELECT revoked_at FROM refresh_families WHERE id = $1)`;

/**
 * A sign-in that turns out to be stolen: what was planned with it is not made, although it has ended in another way before. Where it ends for the
 * theft, a trigger has done this.
 */
export async function endPlans(tx: EntityManager, familyId: string): Promise<void> {
  await tx.query(END_PLANS, [familyId]);
}

/**
 * Until the transaction ends, the account is not deleted. Before its families are locked, as the deletion does. A weaker lock than
 * that of `UsersRepository.lock`: an attacker with one spent token can ask for it again and again, and must not hold the user up.
 */
export async function holdUser(tx: EntityManager, userId: string): Promise<void> {
  await tx.query('SELECT 1 FROM users WHERE id = $1 FOR KEY SHARE', [userId]);
}
