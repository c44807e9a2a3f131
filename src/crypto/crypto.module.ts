import { Global, Module } from '@nestjs/common';
import { Randomness } from '../common/randomness.js';
import { SETTINGS, type Settings } from '../config/settings.js';
import { PasswordHasher } from './password-hasher.js';
import { SecretBox } from './secret-box.js';

/** Password hashing and encryption at rest. Owns no table: sealed values live with the features. */
@Global()
@Module({
  providers: [
    PasswordHasher,
    {
      provide: SecretBox,
      inject: [SETTINGS, Randomness],
      useFactory: (settings: Settings, randomness: Randomness) =>
        new SecretBox(settings.secretKey!, settings.secretKeyPrevious, randomness),
    },
  ],
  exports: [PasswordHasher, SecretBox],
})
export class CryptoModule {}
