import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { AppsModule } from '../../../apps/apps.module.js';
import { EnrollmentModule } from '../../../enrollment/enrollment.module.js';
import { UsersModule } from '../../../users/users.module.js';
import { LogoutNoticesModule } from '../../logout/logout-notices.module.js';
import { ConsentModule } from '../consent/consent.module.js';
import { RefreshModule } from '../refresh/refresh.module.js';
import { ActiveGrantsRepository } from './active-grants.repository.js';
import { ActiveGrants } from './active-grants.service.js';
import { ConsentRevocation } from './consent-revocation.service.js';
import { RefreshRevocation } from './refresh-revocation.js';

/** Ends grants: sign-ins at apps with their refresh tokens, and consents. Owns no table. */
@Module({
  imports: [
    AppsModule,
    ConsentModule,
    DiscoveryModule,
    EnrollmentModule,
    LogoutNoticesModule,
    RefreshModule,
    UsersModule,
  ],
  providers: [ActiveGrants, ActiveGrantsRepository, ConsentRevocation, RefreshRevocation],
  exports: [ActiveGrants, ConsentRevocation, RefreshRevocation],
})
export class RevocationModule {}
