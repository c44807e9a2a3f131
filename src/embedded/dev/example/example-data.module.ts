import { Module } from '@nestjs/common';
import { AppsModule } from '../../../apps/apps.module.js';
import { PushModule } from '../../../push/push.module.js';
import { UsersModule } from '../../../users/users.module.js';
import { ExampleData } from './example-data.service.js';
import { ExampleInvites } from './rows/example-invites.js';
import { ExampleMails } from './rows/example-mails.js';
import { ExampleNotifications } from './rows/example-notifications.js';
import { ExampleUsers } from './rows/example-users.js';
import { ExampleRowsRepository } from './rows/example-rows.repository.js';
import { ExampleWebhooks } from './rows/example-webhooks.js';
import { ExampleWriter } from './rows/example-writer.js';

/** Example data of the embedded mode. Owns no table. */
@Module({
  imports: [AppsModule, UsersModule, PushModule],
  providers: [
    ExampleData,
    ExampleWriter,
    ExampleUsers,
    ExampleMails,
    ExampleInvites,
    ExampleNotifications,
    ExampleWebhooks,
    ExampleRowsRepository,
  ],
  exports: [ExampleData],
})
export class ExampleDataModule {}
