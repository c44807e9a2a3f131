import type { MigrationInterface, QueryRunner } from 'typeorm';
import { createIndexConcurrently, dropIndexConcurrently } from '../concurrent-index.js';

/** Requests for tokens look for a client by the address of its document, in all tenants. */
export class AppMetadataUrlIndex1765030000000 implements MigrationInterface {
  name = 'AppMetadataUrlIndex1765030000000';
  transaction = false as const;

  async up(db: QueryRunner): Promise<void> {
    await createIndexConcurrently(db, {
      name: 'ix_apps_metadata_url',
      on: 'apps (metadata_url) WHERE metadata_url IS NOT NULL',
    });
  }

  async down(db: QueryRunner): Promise<void> {
    await dropIndexConcurrently(db, 'ix_apps_metadata_url');
  }
}
