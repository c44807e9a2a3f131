import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * When the secret or the keys of a client were last replaced: what it had scheduled with a token from before is not made. A trigger says it, so
 * that no path, and no statement typed by hand, forgets to. Nullable: never, or before this version.
 */
export class ReplacedClientCredentials1765053000000 implements MigrationInterface {
  name = 'ReplacedClientCredentials1765053000000';

  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      ALTER TABLE apps ADD COLUMN credentials_changed_at timestamptz;
      ALTER TABLE scheduled_changes ADD COLUMN token_issued_at timestamptz; -- of the service token that planned it

      CREATE FUNCTION mark_client_credentials() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        NEW.credentials_changed_at := clock_timestamp();
        RETURN NEW;
      END $$;
      CREATE TRIGGER tr_apps_credentials BEFORE UPDATE OF client_secret_hash, config ON apps
        FOR EACH ROW WHEN (OLD.client_secret_hash IS DISTINCT FROM NEW.client_secret_hash
          OR OLD.config ->> 'jwks' IS DISTINCT FROM NEW.config ->> 'jwks'
          OR OLD.config ->> 'jwks_uri' IS DISTINCT FROM NEW.config ->> 'jwks_uri'
          OR (OLD.config ->> 'token_endpoint_auth_method' IS NOT DISTINCT FROM 'private_key_jwt')
            <> (NEW.config ->> 'token_endpoint_auth_method' IS NOT DISTINCT FROM 'private_key_jwt'))
        EXECUTE FUNCTION mark_client_credentials();
    `);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`
      DROP TRIGGER tr_apps_credentials ON apps;
      DROP FUNCTION mark_client_credentials();
      ALTER TABLE scheduled_changes DROP COLUMN token_issued_at;
      ALTER TABLE apps DROP COLUMN credentials_changed_at;
    `);
  }
}
