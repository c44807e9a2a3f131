import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AppsModule } from '../../apps/apps.module.js';
import { EnrollmentModule } from '../../enrollment/enrollment.module.js';
import { OutboundModule } from '../../outbound/outbound.module.js';
import { PushSettingsStoreModule } from '../settings/push-settings-store.module.js';
import { WebhookSecrets } from '../settings/webhook-secrets.service.js';
import { WebhookDueHandler } from './webhook-due.handler.js';
import { WebhookQueues } from './webhook-queues.js';
import { WebhookMessage } from './webhook-message.entity.js';
import { WebhookMessagesRepository } from './webhook-messages.repository.js';
import { WebhookNotice } from './webhook-notice.service.js';
import { WebhookOutcomes } from './webhook-outcomes.service.js';
import { WebhookPurge } from './webhook-purge.js';
import { WebhookReceipts } from './webhook-receipts.js';
import { WebhookSender } from './webhook-sender.js';
import { WebhookSweep } from './webhook-sweep.js';
import { WebhookWork } from './webhook-work.js';
import { WebhooksProcessor } from './webhooks.processor.js';
import { WebhooksController } from './webhooks.controller.js';
import { ReceiverFailures } from './receiver-failures.js';
import { WebhookDispatch } from './webhook-dispatch.js';
import { WebhookLog } from './webhook-log.service.js';
import { WebhookReceivers } from './webhook-receivers.js';
import { WebhooksService } from './webhooks.service.js';

/** Owns webhook messages and sends them until the app has received them. Other modules decide what to send. */
@Module({
  imports: [
    AppsModule,
    EnrollmentModule,
    OutboundModule,
    PushSettingsStoreModule,
    TypeOrmModule.forFeature([WebhookMessage]),
  ],
  controllers: [WebhooksController],
  providers: [
    ReceiverFailures,
    WebhookDispatch,
    WebhookLog,
    WebhookReceivers,
    WebhooksService,
    WebhookSecrets,
    WebhookMessagesRepository,
    WebhookReceipts,
    WebhookSender,
    WebhookOutcomes,
    WebhookNotice,
    WebhookWork,
    WebhookQueues,
    WebhookDueHandler,
    WebhooksProcessor,
    WebhookSweep,
    WebhookPurge,
  ],
  exports: [WebhookLog, WebhooksService, WebhookSecrets, WebhookReceipts],
})
export class WebhooksModule {}
