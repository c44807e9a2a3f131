import type { EntityManager } from 'typeorm';

/** Until the transaction ends, nothing is issued to this user, and nothing of theirs is changed. Locked before what belongs to them. */
export async function lockUser(tx: EntityManager, id: string): Promise<void> {
  await tx.query('SELECT 1 FROM users WHERE id = $1 FOR NO KEY UPDATE', [id]);
}
