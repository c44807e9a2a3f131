import type { MigrationInterface, QueryRunner } from 'typeorm';
import { createIndexConcurrently, dropIndexConcurrently } from '../concurrent-index.js';

const INDEXES = [
  { name: 'ix_authorization_codes_user', on: 'authorization_codes (user_id)' },
  { name: 'ix_authorization_codes_app', on: 'authorization_codes (app_id)' },
  { name: 'ix_device_authorizations_app', on: 'device_authorizations (app_id)' },
  { name: 'ix_ended_enrollments_app', on: 'ended_enrollments (app_id)' },
  { name: 'ix_ended_plans_app', on: 'ended_plans (app_id)' },
  { name: 'ix_mail_links_app', on: 'mail_links (app_id) WHERE app_id IS NOT NULL' },
  { name: 'ix_refresh_families_app', on: 'refresh_families (app_id)' },
  { name: 'ix_sign_in_attempts_user', on: 'sign_in_attempts (user_id) WHERE user_id IS NOT NULL' },
  { name: 'ix_sign_in_attempts_app', on: 'sign_in_attempts (app_id)' },
  { name: 'ix_totp_challenges_user', on: 'totp_challenges (user_id)' },
  { name: 'ix_totp_challenges_app', on: 'totp_challenges (app_id)' },
];

/** The deletion of a user or app read the whole of these tables to find the rows that it deletes with it. */
export class IndexesOfForeignKeys1765490000000 implements MigrationInterface {
  name = 'IndexesOfForeignKeys1765490000000';
  transaction = false as const;

  async up(db: QueryRunner): Promise<void> {
    for (const index of INDEXES) await createIndexConcurrently(db, index);
  }

  async down(db: QueryRunner): Promise<void> {
    for (const { name } of INDEXES) await dropIndexConcurrently(db, name);
  }
}
