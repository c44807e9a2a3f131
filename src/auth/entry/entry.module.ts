import { Module } from '@nestjs/common';
import { AppsModule } from '../../apps/apps.module.js';
import { EnrollmentModule } from '../../enrollment/enrollment.module.js';
import { UsersModule } from '../../users/users.module.js';
import { PasskeysModule } from '../credentials/passkeys/passkeys.module.js';
import { EntrantsRepository } from './entrants.repository.js';
import { OwnCredentials } from './own-credentials.service.js';
import { EntryService } from './entry.service.js';
import { SignInWorlds } from './sign-in-worlds.js';

/**
 * Owns the decision whether a sign-in may enter an app, and its audit entry. Every sign-in uses it, on a page or by
 * JSON. It does not check credentials and issues no tokens.
 */
@Module({
  imports: [AppsModule, EnrollmentModule, PasskeysModule, UsersModule],
  providers: [EntrantsRepository, OwnCredentials, EntryService, SignInWorlds],
  exports: [EntrantsRepository, OwnCredentials, EntryService, SignInWorlds],
})
export class EntryModule {}
