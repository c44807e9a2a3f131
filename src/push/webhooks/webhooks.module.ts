import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AppsModule } from '../../apps/apps.module.js';
import { EnrollmentModule } from '../../enrollment/enrollment.module.js';
import { OutboundModule } from '../../outbound/outbound.module.js';
import { PushSettingsStoreModule } from '../settings/push-settings-store.module.js';
import { WebhookSecrets } from '../settings/webhook-secrets.service.js';
import { WebhookDueHandler } from './sending/webhook-due.handler.js';
import { WebhookQueues } from './sending/webhook-queues.js';
import { WebhookMessage } from './messages/webhook-message.entity.js';
import { WebhookMessagesRepository } from './messages/webhook-messages.repository.js';
import { WebhookNoticeHandler } from './receivers/webhook-notice.handler.js';
import { WebhookNoticeLimit } from './receivers/webhook-notice-limit.js';
import { WebhookNoticeRecipients } from './receivers/webhook-notice-recipients.js';
import { WebhookNotice } from './receivers/webhook-notice.service.js';
import { WebhookOutcomes } from './receivers/webhook-outcomes.service.js';
import { WebhookPurge } from './messages/webhook-purge.js';
import { WebhookReceipts } from './sending/webhook-receipts.js';
import { WebhookSender } from './sending/webhook-sender.js';
import { WebhookSweep } from './sending/webhook-sweep.js';
import { WebhookWork } from './sending/webhook-work.js';
import { WebhooksProcessor } from './sending/webhooks.processor.js';
import { WebhooksController } from './endpoints/webhooks.controller.js';
import { ReceiverFailures } from './receivers/receiver-failures.js';
import { WebhookDispatch } from './sending/webhook-dispatch.js';
import { WebhookLog } from './messages/webhook-log.service.js';
import { WebhookReceivers } from './receivers/webhook-receivers.js';
import { WebhooksService } from './endpoints/webhooks.service.js';

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
    WebhookNoticeHandler,
    WebhookNoticeLimit,
    WebhookNoticeRecipients,
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
