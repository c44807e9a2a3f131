import { type DynamicModule, Module } from '@nestjs/common';
import { AuditModule } from '../audit/audit.module.js';
import { DeletionsModule } from '../admin/deletions/deletions.module.js';
import { AuthModule } from '../auth/auth.module.js';
import { ProvidersModule } from '../auth/providers/providers.module.js';
import { CommonModule } from '../common/common.module.js';
import { PagesModule } from '../common/pages/pages.module.js';
import { ConfigModule } from '../config/config.module.js';
import type { Settings } from '../config/settings.js';
import { ConsoleSessionsModule } from '../operators/session/console-sessions.module.js';
import { ScheduledChangesModule } from '../operators/scheduled-changes/scheduled-changes.module.js';
import { TaskRunsModule } from '../operators/tasks/task-runs.module.js';
import { CryptoModule } from '../crypto/crypto.module.js';
import { DatabaseModule } from '../database/database.module.js';
import { DeliveryModule } from '../delivery/delivery.module.js';
import { InvitesModule } from '../invites/invites.module.js';
import { MailModule } from '../mail/mail.module.js';
import { AuditIntegrityModule } from '../operations/audit-integrity/audit-integrity.module.js';
import { MetricsModule } from '../operations/metrics/metrics.module.js';
import { PushModule } from '../push/push.module.js';
import { StatisticsModule } from '../operations/statistics/statistics.module.js';
import { RateLimitsModule } from '../rate-limits/rate-limits.module.js';
import { SigningKeyAtStart } from '../tokens/keys/signing-key-at-start.js';
import { TokensModule } from '../tokens/tokens.module.js';

/** Composition root of the worker: the modules whose jobs and housekeeping it runs, without their HTTP routes. */
@Module({})
export class WorkerModule {
  static register(settings: Settings): DynamicModule {
    return {
      module: WorkerModule,
      imports: [
        ConfigModule.register(settings),
        CommonModule,
        PagesModule,
        DatabaseModule,
        CryptoModule,
        DeliveryModule.forWorker(settings),
        RateLimitsModule,
        MailModule,
        AuditModule,
        TokensModule,
        InvitesModule,
        PushModule,
        AuthModule,
        DeletionsModule,
        ProvidersModule,
        AuditIntegrityModule,
        MetricsModule,
        StatisticsModule,
        ConsoleSessionsModule,
        TaskRunsModule,
        ScheduledChangesModule,
      ],
      providers: [SigningKeyAtStart],
    };
  }
}
