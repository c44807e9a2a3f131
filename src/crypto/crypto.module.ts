import { Global, Module } from '@nestjs/common';
import { Randomness } from '../common/randomness.js';
import { SETTINGS, type Settings } from '../config/settings.js';
import { PasswordHasher } from './password-hasher.js';
import { SecretBox } from './secret-box.js';
import { UnreadableSecrets } from './unreadable-secrets.js';

/** Password hashing and encryption at rest. Owns no table: the modules store their own encrypted values. */
@Global()
@Module({
  providers: [
    PasswordHasher,
    UnreadableSecrets,
    {
      provide: SecretBox,
      inject: [SETTINGS, Randomness, UnreadableSecrets],
      useFactory: (settings: Settings, randomness: Randomness, unreadable: UnreadableSecrets) =>
        new SecretBox(settings.secretKey!, settings.secretKeyPrevious, randomness, (row, error) =>
          unreadable.report(row, error),
        ),
    },
  ],
  exports: [PasswordHasher, SecretBox],
})
export class CryptoModule {}
