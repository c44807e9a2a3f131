import { Module } from '@nestjs/common';
import { AppsModule } from '../../apps/apps.module.js';
import { AuthModule } from '../../auth/auth.module.js';
import { EnrollmentModule } from '../../enrollment/enrollment.module.js';
import { TenantsModule } from '../../tenants/tenants.module.js';
import { RateLimitsModule } from '../../rate-limits/rate-limits.module.js';
import { OperatorsModule } from '../../operators/operators.module.js';
import { ConsoleSessionsModule } from '../../operators/session/console-sessions.module.js';
import { ConsoleLoginModule } from '../login/console-login.module.js';
import { ActiveTenant } from './requests/active-tenant.js';
import { ConsolePages } from './pages/console-pages.js';
import { FrameReader } from './pages/frame-facts.js';
import { OwnApps } from './requests/own-apps.js';
import { SignedInOperators } from './requests/signed-in-operators.js';
import { OwnNavigation } from './requests/own-navigation.js';
import { TenantNames } from './requests/tenant-names.js';
import { TenantSwitch } from './pages/tenant-switch.js';
import { ConsoleRequests } from './requests/console-requests.service.js';

/** The frame of all console pages: guard, errors, layout. Imported by the module of each area. */
@Module({
  imports: [
    AuthModule,
    AppsModule,
    EnrollmentModule,
    TenantsModule,
    RateLimitsModule,
    ConsoleLoginModule,
    OperatorsModule,
    ConsoleSessionsModule,
  ],
  providers: [
    ActiveTenant,
    ConsolePages,
    ConsoleRequests,
    FrameReader,
    OwnApps,
    OwnNavigation,
    SignedInOperators,
    TenantNames,
    TenantSwitch,
  ],
  exports: [
    AuthModule,
    OperatorsModule,
    ConsoleSessionsModule,
    ActiveTenant,
    ConsoleLoginModule,
    ConsolePages,
    ConsoleRequests,
    OwnApps,
    OwnNavigation,
    TenantNames,
  ],
})
export class ConsoleFrameModule {}
