import { type DynamicModule, Module } from '@nestjs/common';
import { APP_FILTER, APP_GUARD, APP_PIPE, DiscoveryModule } from '@nestjs/core';
import { AdminModule } from '../admin/admin.module.js';
import { AuditModule } from '../audit/audit.module.js';
import { AccessGuard } from '../auth/access/access.guard.js';
import { RouteCensus } from '../auth/access/route-census.js';
import { AuthModule } from '../auth/auth.module.js';
import { ProvidersModule } from '../auth/providers/providers.module.js';
import { LogoutModule } from '../auth/logout/logout.module.js';
import { AccountModule } from '../auth/account/account.module.js';
import { CommonModule } from '../common/common.module.js';
import { ErrorFilter } from '../common/errors/error.filter.js';
import { PagesModule } from '../common/pages/pages.module.js';
import { InputPipe } from '../common/validation/input.pipe.js';
import { ConfigModule } from '../config/config.module.js';
import type { Settings } from '../config/settings.js';
import { ConsoleModule } from '../console/console.module.js';
import { CryptoModule } from '../crypto/crypto.module.js';
import { DatabaseModule } from '../database/database.module.js';
import { DeliveryModule } from '../delivery/delivery.module.js';
import { DocsModule } from '../docs/docs.module.js';
import { DevModule } from '../embedded/dev/dev.module.js';
import { ScheduledChangesModule } from '../operators/scheduled-changes/scheduled-changes.module.js';
import { OperationsModule } from '../operations/operations.module.js';
import { StatisticsModule } from '../operations/statistics/statistics.module.js';
import { MailModule } from '../mail/mail.module.js';
import { AuditIntegrityModule } from '../operations/audit-integrity/audit-integrity.module.js';
import { RateLimitsModule } from '../rate-limits/rate-limits.module.js';
import { AppsModule } from '../apps/apps.module.js';
import { EnrollmentModule } from '../enrollment/enrollment.module.js';
import { InvitesModule } from '../invites/invites.module.js';
import { DeviceGrantModule } from '../auth/device-grant/device-grant.module.js';
import { JoiningModule } from '../auth/joining/joining.module.js';
import { JoiningStepsModule } from '../auth/joining/steps/joining-steps.module.js';
import { PreviewsModule } from '../previews/previews.module.js';
import { PushModule } from '../push/push.module.js';
import { SigningKeyAtStart } from '../tokens/keys/signing-key-at-start.js';
import { TokensModule } from '../tokens/tokens.module.js';
import { TransferModule } from '../transfer/transfer.module.js';

/** Composition root of the web process: the features, the guards, the pipe and the filter. */
@Module({})
export class AppModule {
  static register(settings: Settings): DynamicModule {
    return {
      module: AppModule,
      imports: [
        ConfigModule.register(settings),
        CommonModule,
        PagesModule,
        DatabaseModule,
        CryptoModule,
        DiscoveryModule,
        DeliveryModule.forWeb(settings),
        RateLimitsModule,
        MailModule,
        AuditModule,
        AppsModule,
        EnrollmentModule,
        TokensModule,
        InvitesModule,
        PushModule,
        AuthModule,
        DeviceGrantModule,
        JoiningModule,
        JoiningStepsModule,
        ProvidersModule,
        AccountModule,
        LogoutModule,
        AdminModule,
        PreviewsModule,
        TransferModule,
        ScheduledChangesModule,
        ConsoleModule,
        OperationsModule,
        AuditIntegrityModule,
        StatisticsModule,
        DocsModule,
        ...(settings.embedded ? [DevModule] : []),
      ],
      providers: [
        RouteCensus,
        SigningKeyAtStart,
        { provide: APP_GUARD, useClass: AccessGuard },
        { provide: APP_PIPE, useClass: InputPipe },
        { provide: APP_FILTER, useClass: ErrorFilter },
      ],
    };
  }
}
