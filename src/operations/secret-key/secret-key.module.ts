import { Module } from '@nestjs/common';
import { EncryptedColumnsRepository } from './encrypted-columns.repository.js';
import { SecretKeyService } from './secret-key.service.js';

/** Encrypts the encrypted values of other modules again. Owns no table. */
@Module({
  providers: [SecretKeyService, EncryptedColumnsRepository],
  exports: [SecretKeyService],
})
export class SecretKeyModule {}
