import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Whether a tenant's users are offered a passkey after a sign-in with a password, and who said "Not now", and when. */
export class PasskeyOffers1764891000000 implements MigrationInterface {
  name = 'PasskeyOffers1764891000000';

  async up(db: QueryRunner): Promise<void> {
    await db.query('ALTER TABLE tenants ADD COLUMN offer_passkeys boolean NOT NULL DEFAULT false');
    await db.query(`
      CREATE TABLE passkey_offers (
        user_id uuid NOT NULL,
        declined_at timestamptz NOT NULL DEFAULT now(),
        CONSTRAINT pk_passkey_offers PRIMARY KEY (user_id),
        CONSTRAINT fk_passkey_offers_user FOREIGN KEY (user_id) REFERENCES users (id) ON DELETE CASCADE
      )
    `);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('DROP TABLE passkey_offers');
    await db.query('ALTER TABLE tenants DROP COLUMN offer_passkeys');
  }
}
