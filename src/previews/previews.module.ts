import { Module } from '@nestjs/common';
import { AppsModule } from '../apps/apps.module.js';
import { PasskeysModule } from '../auth/credentials/passkeys/passkeys.module.js';
import { EnrollmentModule } from '../enrollment/enrollment.module.js';
import { AdminModule } from '../admin/admin.module.js';
import { RateLimitsModule } from '../rate-limits/rate-limits.module.js';
import { ChangeEffects } from './change-effects.js';
import { ChangePreviews } from './change-previews.service.js';
import { DraftedChanges } from './drafted-changes.js';
import { EntrantsRepository } from './entrants.repository.js';
import { PreviewsController } from './previews.controller.js';

/**
 * Owns the preview of changed settings: what they would do to the next sign-in of each member. It decides nothing itself,
 * `auth/entry` does, and it writes nothing.
 */
@Module({
  imports: [AppsModule, EnrollmentModule, PasskeysModule, AdminModule, RateLimitsModule],
  controllers: [PreviewsController],
  providers: [EntrantsRepository, ChangeEffects, DraftedChanges, ChangePreviews],
  exports: [ChangePreviews],
})
export class PreviewsModule {}
