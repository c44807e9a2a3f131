import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Access tokens that apps have exchanged for others (RFC 8693). */
export class TokenExchanges1765000000000 implements MigrationInterface {
  name = 'TokenExchanges1765000000000';

  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      CREATE TABLE token_exchanges (
        id uuid NOT NULL,
        family_id uuid NOT NULL,
        parent_id uuid,
        actor_app_id uuid NOT NULL,
        served_resource text,
        resource text NOT NULL,
        scope text NOT NULL,
        created_at timestamptz NOT NULL DEFAULT now(),
        expires_at timestamptz NOT NULL,
        revoked_at timestamptz,
        CONSTRAINT pk_token_exchanges PRIMARY KEY (id),
        CONSTRAINT fk_token_exchanges_family FOREIGN KEY (family_id) REFERENCES refresh_families (id) ON DELETE CASCADE,
        CONSTRAINT fk_token_exchanges_parent FOREIGN KEY (parent_id) REFERENCES token_exchanges (id) ON DELETE CASCADE,
        CONSTRAINT fk_token_exchanges_actor_app FOREIGN KEY (actor_app_id) REFERENCES apps (id) ON DELETE CASCADE
      );
      CREATE INDEX ix_token_exchanges_family ON token_exchanges (family_id);
      CREATE INDEX ix_token_exchanges_parent ON token_exchanges (parent_id) WHERE parent_id IS NOT NULL;
      CREATE INDEX ix_token_exchanges_actor_app ON token_exchanges (actor_app_id);
      CREATE INDEX ix_token_exchanges_expires ON token_exchanges (expires_at);
    `);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('DROP TABLE token_exchanges');
  }
}
