import type { EntityManager } from 'typeorm';
import { ENDED_AT } from '../../../users/issued-at.js';

/**
 * Once for each sign-in, so that a client that has a used token cannot repeatedly void changes that were scheduled with
 * other sign-ins.
 */
const END_PLANS = `
  INSERT INTO ended_plans (user_id, app_id, ended_at)
  SELECT user_id, app_id, ${ENDED_AT}
  FROM refresh_families WHERE id = $1 AND revoked_at IS NOT NULL
  ON CONFLICT ON CONSTRAINT pk_ended_plans DO UPDATE SET ended_at = excluded.ended_at
  WHERE ended_plans.ended_at <= (SELECT revoked_at FROM refresh_families WHERE id = $1)`;

/**
 * Voids the changes that were scheduled with a stolen sign-in, even if it had already ended in another way. If it ends
 * because of the theft, a trigger does this.
 */
export async function endPlans(tx: EntityManager, familyId: string): Promise<void> {
  await tx.query(END_PLANS, [familyId]);
}

/**
 * Prevents the deletion of the account until the transaction ends. Must be called before its families are locked, as in
 * the deletion. Weaker than the lock of `UsersRepository.lock`, because an attacker with one used token can cause it
 * repeatedly, and must not block the user.
 */
export async function holdUser(tx: EntityManager, userId: string): Promise<void> {
  await tx.query('SELECT 1 FROM users WHERE id = $1 FOR KEY SHARE', [userId]);
}
