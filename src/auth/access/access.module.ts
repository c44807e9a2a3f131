import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { DenialRecorder } from '../../common/errors/denial-recorder.js';
import { AppsModule } from '../../apps/apps.module.js';
import { EnrollmentModule } from '../../enrollment/enrollment.module.js';
import { InvitesModule } from '../../invites/invites.module.js';
import { RateLimitsModule } from '../../rate-limits/rate-limits.module.js';
import { TenantsModule } from '../../tenants/tenants.module.js';
import { TokensModule } from '../../tokens/tokens.module.js';
import { UsersModule } from '../../users/users.module.js';
import { PasskeysModule } from '../credentials/passkeys/passkeys.module.js';
import { SecondFactorModule } from '../credentials/second-factor/second-factor.module.js';
import { EntryModule } from '../entry/entry.module.js';
import { SessionModule } from '../session/session.module.js';
import { AccountHolders } from './account-holder.service.js';
import { AccessTokenUsers } from './access-token-users.js';
import { AuditedDenials } from './denials/audited-denials.js';
import { BearerTokens } from './bearer-tokens.service.js';
import { CriticalRequests } from './confirmation/critical-requests.service.js';
import { CurrentUser } from './current-user.service.js';
import { DenialScopes } from './denials/denial-scopes.service.js';
import { ExportFiles } from './export-files.js';
import { FreshSignIn } from './confirmation/fresh-sign-in.service.js';
import { LiveSignIns } from './live-sign-ins.js';
import { RecentSignIn } from './confirmation/recent-sign-in.service.js';
import { CallerAuthorities } from './caller-authorities.service.js';

/**
 * Owns the check of every request: which credential it has, whose it is, and whether the route accepts it; and the
 * record of denials. It does not sign users in.
 */
@Module({
  imports: [
    DiscoveryModule,
    AppsModule,
    EnrollmentModule,
    InvitesModule,
    RateLimitsModule,
    TenantsModule,
    TokensModule,
    UsersModule,
    PasskeysModule,
    SecondFactorModule,
    EntryModule,
    SessionModule,
  ],
  providers: [
    AuditedDenials,
    { provide: DenialRecorder, useExisting: AuditedDenials },
    DenialScopes,
    ExportFiles,
    BearerTokens,
    AccessTokenUsers,
    AccountHolders,
    CriticalRequests,
    CurrentUser,
    FreshSignIn,
    LiveSignIns,
    RecentSignIn,
    CallerAuthorities,
  ],
  exports: [
    AuditedDenials,
    DenialRecorder,
    ExportFiles,
    BearerTokens,
    AccountHolders,
    CurrentUser,
    RecentSignIn,
    CallerAuthorities,
  ],
})
export class AccessModule {}
