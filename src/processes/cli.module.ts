import { type DynamicModule, Module } from '@nestjs/common';
import { AdminCommand } from '../admin/cli/admin.command.js';
import { CreateAdminCommand } from '../admin/cli/create-admin.command.js';
import { UnlockCommand } from '../admin/cli/unlock.command.js';
import { UsersAdminModule } from '../admin/users/users-admin.module.js';
import { AuditModule } from '../audit/audit.module.js';
import { AuthModule } from '../auth/auth.module.js';
import { ProvidersModule } from '../auth/providers/providers.module.js';
import { AdminLinkCommand } from '../auth/setup/admin-link.command.js';
import { CommonModule } from '../common/common.module.js';
import { PagesModule } from '../common/pages/pages.module.js';
import { ConfigModule } from '../config/config.module.js';
import type { Settings } from '../config/settings.js';
import { CryptoModule } from '../crypto/crypto.module.js';
import { DatabaseModule } from '../database/database.module.js';
import { DeliveryModule } from '../delivery/delivery.module.js';
import { ExampleDataCommand } from '../embedded/dev/example/example-data.command.js';
import { ExampleDataModule } from '../embedded/dev/example/example-data.module.js';
import { InvitesModule } from '../invites/invites.module.js';
import { MailModule } from '../mail/mail.module.js';
import {
  AuditCheckpointsCommand,
  AuditCommand,
  VerifyAuditCommand,
} from '../operations/audit-integrity/audit.command.js';
import { AuditIntegrityModule } from '../operations/audit-integrity/audit-integrity.module.js';
import { RestoreCommand, RevokeBeforeCommand } from '../operations/restore/restore.command.js';
import { RestoreModule } from '../operations/restore/restore.module.js';
import { RotateSecretKeyCommand, SecretKeyCommand } from '../operations/secret-key/secret-key.command.js';
import { SecretKeyModule } from '../operations/secret-key/secret-key.module.js';
import { TasksModule } from '../operations/tasks/tasks.module.js';
import { PushModule } from '../push/push.module.js';
import { RateLimitsModule } from '../rate-limits/rate-limits.module.js';
import { KeysCommand, RotateKeysCommand } from '../tokens/keys/keys.command.js';
import { TokensModule } from '../tokens/tokens.module.js';
import { TransferCommand, TransferExportCommand, TransferImportCommand } from '../transfer/transfer.command.js';
import { TransferModule } from '../transfer/transfer.module.js';
import { SuspiciousAddressesCommand } from '../users/commands/suspicious-addresses.command.js';
import { UsersCommand } from '../users/commands/users.command.js';

/** Composition root of the command line, with the list of commands. */
@Module({})
export class CliModule {
  static register(settings: Settings): DynamicModule {
    return {
      module: CliModule,
      imports: [
        ConfigModule.register(settings),
        CommonModule,
        PagesModule,
        DatabaseModule,
        CryptoModule,
        DeliveryModule.forCommandLine(),
        RateLimitsModule,
        MailModule,
        AuditModule,
        TokensModule,
        AuthModule,
        InvitesModule,
        PushModule,
        ProvidersModule,
        UsersAdminModule,
        AuditIntegrityModule,
        SecretKeyModule,
        RestoreModule,
        TasksModule,
        TransferModule,
        ExampleDataModule,
      ],
      providers: [
        KeysCommand,
        RotateKeysCommand,
        AdminCommand,
        AdminLinkCommand,
        CreateAdminCommand,
        UnlockCommand,
        AuditCommand,
        VerifyAuditCommand,
        AuditCheckpointsCommand,
        SecretKeyCommand,
        RotateSecretKeyCommand,
        RestoreCommand,
        RevokeBeforeCommand,
        TransferCommand,
        TransferExportCommand,
        TransferImportCommand,
        UsersCommand,
        SuspiciousAddressesCommand,
        ExampleDataCommand,
      ],
    };
  }
}
