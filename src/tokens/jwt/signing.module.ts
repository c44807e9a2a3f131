import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { SigningKeyAge } from '../keys/signing-key-age.js';
import { SigningKey } from '../keys/signing-key.entity.js';
import { NewSigningKeys } from '../keys/new-signing-keys.js';
import { SigningKeys } from '../keys/signing-keys.js';
import { SigningKeysRepository } from '../keys/signing-keys.repository.js';
import { TokenSigner } from './token-signer.js';
import { TokenVerifier } from './token-verifier.js';

/** Owns signing_keys: signs JWTs, and verifies those of this service. */
@Module({
  imports: [TypeOrmModule.forFeature([SigningKey])],
  providers: [NewSigningKeys, SigningKeyAge, SigningKeys, SigningKeysRepository, TokenSigner, TokenVerifier],
  exports: [SigningKeys, TokenSigner, TokenVerifier],
})
export class SigningModule {}
