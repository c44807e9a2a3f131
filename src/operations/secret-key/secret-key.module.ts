import { Module } from '@nestjs/common';
import { EncryptedColumnsRepository } from './encrypted-columns.repository.js';
import { SecretKeyService } from './secret-key.service.js';

/** Seals again what other modules keep sealed. Owns no table. */
@Module({
  providers: [SecretKeyService, EncryptedColumnsRepository],
  exports: [SecretKeyService],
})
export class SecretKeyModule {}
