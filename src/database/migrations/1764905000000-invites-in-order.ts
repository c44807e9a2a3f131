import type { MigrationInterface, QueryRunner } from 'typeorm';
import { createIndexConcurrently, dropIndexConcurrently } from '../concurrent-index.js';

/** The invites to all apps are listed in their order, and found by a part of their address. */
export class InvitesInOrder1764905000000 implements MigrationInterface {
  name = 'InvitesInOrder1764905000000';
  transaction = false;

  async up(db: QueryRunner): Promise<void> {
    await createIndexConcurrently(db, { name: 'ix_invites_created', on: 'invites (created_at, id)' });
    // Without trigrams the search reads every invite that the caller may see.
    if (await hasTrigrams(db))
      await createIndexConcurrently(db, {
        name: 'ix_invites_email_trigrams',
        on: 'invites USING gin (email_canonical gin_trgm_ops)',
      });
  }

  async down(db: QueryRunner): Promise<void> {
    await dropIndexConcurrently(db, 'ix_invites_email_trigrams');
    await dropIndexConcurrently(db, 'ix_invites_created');
  }
}

async function hasTrigrams(db: QueryRunner): Promise<boolean> {
  const found = (await db.query(
    `SELECT FROM pg_opclass WHERE opcname = 'gin_trgm_ops' AND pg_opclass_is_visible(oid)`,
  )) as unknown[];
  return found.length > 0;
}
