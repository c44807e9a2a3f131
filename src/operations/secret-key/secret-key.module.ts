import { Module } from '@nestjs/common';
import { SealedColumnsRepository } from './sealed-columns.repository.js';
import { SecretKeyService } from './secret-key.service.js';

/** Seals again what other modules keep sealed. Owns no table. */
@Module({
  providers: [SecretKeyService, SealedColumnsRepository],
  exports: [SecretKeyService],
})
export class SecretKeyModule {}
