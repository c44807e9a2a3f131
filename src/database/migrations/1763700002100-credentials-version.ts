import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Counts the changes of a user's credentials: password, second factor, the end of all tokens, switching the account on
 * or off. A proof contains the number with which it was made, and is not valid with another one. A trigger counts, so
 * that no statement can omit it, not even one that is typed by hand.
 *
 * Attempts, codes and challenges keep the number of their proof. The default is the number of all users after this
 * migration: rows of a process of the previous version stay valid until the user changes a credential.
 */
export class CredentialsVersion1763700002100 implements MigrationInterface {
  name = 'CredentialsVersion1763700002100';

  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      ALTER TABLE users ADD COLUMN credentials_version integer NOT NULL DEFAULT 1;
      ALTER TABLE sign_in_attempts ADD COLUMN credentials_version integer NOT NULL DEFAULT 1;
      ALTER TABLE authorization_codes ADD COLUMN credentials_version integer NOT NULL DEFAULT 1;
      ALTER TABLE totp_challenges ADD COLUMN credentials_version integer NOT NULL DEFAULT 1;

      CREATE FUNCTION count_credentials_version() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        NEW.credentials_version := OLD.credentials_version + 1;
        RETURN NEW;
      END $$;
      CREATE TRIGGER tr_users_credentials_version
        BEFORE UPDATE OF password_hash, totp_enabled_at, tokens_valid_from, is_active ON users
        FOR EACH ROW WHEN ((OLD.password_hash, OLD.totp_enabled_at, OLD.tokens_valid_from, OLD.is_active)
          IS DISTINCT FROM (NEW.password_hash, NEW.totp_enabled_at, NEW.tokens_valid_from, NEW.is_active))
        EXECUTE FUNCTION count_credentials_version();
    `);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`
      DROP TRIGGER tr_users_credentials_version ON users;
      DROP FUNCTION count_credentials_version();
      ALTER TABLE totp_challenges DROP COLUMN credentials_version;
      ALTER TABLE authorization_codes DROP COLUMN credentials_version;
      ALTER TABLE sign_in_attempts DROP COLUMN credentials_version;
      ALTER TABLE users DROP COLUMN credentials_version;
    `);
  }
}
