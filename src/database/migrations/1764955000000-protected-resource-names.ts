import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Each identifier of a protected resource belongs to one tenant: it is the audience of tokens that all tenants' are signed like.
 * The database decides, whatever writes the tenant.
 */
export class ProtectedResourceNames1764955000000 implements MigrationInterface {
  name = 'ProtectedResourceNames1764955000000';

  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      CREATE TABLE protected_resource_names (
        identifier text NOT NULL, -- in the form in which identifiers are compared: lower case, without slashes at the end
        tenant_id uuid NOT NULL,
        CONSTRAINT pk_protected_resource_names PRIMARY KEY (identifier),
        CONSTRAINT fk_protected_resource_names_tenant FOREIGN KEY (tenant_id) REFERENCES tenants (id) ON DELETE CASCADE
      );
      CREATE INDEX ix_protected_resource_names_tenant ON protected_resource_names (tenant_id);

      CREATE FUNCTION name_protected_resources() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        DELETE FROM protected_resource_names n WHERE n.tenant_id = NEW.id AND NOT EXISTS (
          SELECT 1 FROM jsonb_array_elements(NEW.resources) r WHERE lower(rtrim(r ->> 'identifier', '/')) = n.identifier);
        INSERT INTO protected_resource_names (identifier, tenant_id)
          SELECT DISTINCT lower(rtrim(r ->> 'identifier', '/')), NEW.id FROM jsonb_array_elements(NEW.resources) r
          WHERE NOT EXISTS (SELECT 1 FROM protected_resource_names n
            WHERE n.tenant_id = NEW.id AND n.identifier = lower(rtrim(r ->> 'identifier', '/')));
        RETURN NULL;
      END $$;
      CREATE TRIGGER tr_tenants_protected_resources AFTER INSERT OR UPDATE OF resources ON tenants
        FOR EACH ROW EXECUTE FUNCTION name_protected_resources();

      INSERT INTO protected_resource_names (identifier, tenant_id)
        SELECT DISTINCT ON (1) lower(rtrim(r ->> 'identifier', '/')), t.id
        FROM tenants t, jsonb_array_elements(t.resources) r ORDER BY 1, t.created_at, t.id;
    `);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`
      DROP TRIGGER tr_tenants_protected_resources ON tenants;
      DROP FUNCTION name_protected_resources();
      DROP TABLE protected_resource_names;
    `);
  }
}
