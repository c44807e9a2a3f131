import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Clients that describe themselves by a document: from which hosts a tenant takes them, and until when one is remembered. */
export class ClientDocuments1764972000000 implements MigrationInterface {
  name = 'ClientDocuments1764972000000';

  async up(db: QueryRunner): Promise<void> {
    await db.query(`ALTER TABLE tenants ADD COLUMN client_document_hosts text[] NOT NULL DEFAULT '{}'`);
    await db.query('ALTER TABLE apps ADD COLUMN metadata_expires_at timestamptz');
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('ALTER TABLE apps DROP COLUMN metadata_expires_at');
    await db.query('ALTER TABLE tenants DROP COLUMN client_document_hosts');
  }
}
