import type { MigrationInterface, QueryRunner } from 'typeorm';
import { createIndexConcurrently, dropIndexConcurrently } from '../concurrent-index.js';

/** Mails are found by a part of their address, and invites by the whole one. */
export class MailsFound1764960000000 implements MigrationInterface {
  name = 'MailsFound1764960000000';
  transaction = false;

  async up(db: QueryRunner): Promise<void> {
    await createIndexConcurrently(db, {
      name: 'ix_invites_email',
      on: 'invites (email_canonical) WHERE email_canonical IS NOT NULL',
    });
    // Without trigrams the search reads every mail that the caller may see.
    if (await hasTrigrams(db))
      await createIndexConcurrently(db, {
        name: 'ix_mail_log_recipient_trigrams',
        on: 'mail_log USING gin (lower(recipient) gin_trgm_ops)',
      });
  }

  async down(db: QueryRunner): Promise<void> {
    await dropIndexConcurrently(db, 'ix_mail_log_recipient_trigrams');
    await dropIndexConcurrently(db, 'ix_invites_email');
  }
}

async function hasTrigrams(db: QueryRunner): Promise<boolean> {
  const found = (await db.query(
    `SELECT FROM pg_opclass WHERE opcname = 'gin_trgm_ops' AND pg_opclass_is_visible(oid)`,
  )) as unknown[];
  return found.length > 0;
}
