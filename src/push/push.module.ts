import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AppsModule } from '../apps/apps.module.js';
import { EnrollmentModule } from '../enrollment/enrollment.module.js';
import { OutboundModule } from '../outbound/outbound.module.js';
import { UsersModule } from '../users/users.module.js';
import { UserDevices } from './devices/user-devices.service.js';
import { PushDevice } from './devices/push-device.entity.js';
import { PushDevicesController } from './devices/push-devices.controller.js';
import { PushDevicesRepository } from './devices/push-devices.repository.js';
import { PushDevicesService } from './devices/push-devices.service.js';
import { NotificationBatch } from './notifications/notification-batch.entity.js';
import { NotificationBatches } from './notifications/notification-batches.service.js';
import { NotificationDelivery } from './notifications/notification-delivery.entity.js';
import { NotificationLog } from './notifications/notification-log.service.js';
import { PushMeasure } from './notifications/sending/push-measure.js';
import { DeliveriesRepository } from './deliveries/deliveries.repository.js';
import { DeliveryLeases } from './deliveries/delivery-leases.js';
import { DeliveryResults } from './deliveries/delivery-results.service.js';
import { DeliveryQueues } from './deliveries/delivery-queues.js';
import { DeliverySweep } from './deliveries/delivery-sweep.js';
import { DeliveryWork } from './deliveries/delivery-work.js';
import { PushProcessor } from './deliveries/push.processor.js';
import { WriteBatchHandler } from './deliveries/write-batch.handler.js';
import { PushDueHandler } from './deliveries/push-due.handler.js';
import { Notification } from './notifications/notification.entity.js';
import { NotificationsRepository } from './notifications/notifications.repository.js';
import { PushQuota } from './quota/push-quota.service.js';
import { PushReplies } from './notifications/sending/push-replies.service.js';
import { PushReply } from './notifications/sending/push-reply.entity.js';
import { PushUsage } from './quota/push-usage.entity.js';
import { SendController } from './notifications/sending/send.controller.js';
import { DeliveryAttempts } from './deliveries/delivery-attempts.js';
import { DeviceRegistrationService } from './devices/device-registration.service.js';
import { DeviceRemovalService } from './devices/device-removal.service.js';
import { RegistrationAccess } from './devices/registration-access.js';
import { SealedDevices } from './devices/sealed-devices.js';
import { NotificationIntake } from './notifications/sending/notification-intake.js';
import { SentNotificationsService } from './notifications/sending/sent-notifications.service.js';
import { TestNotificationsService } from './notifications/sending/test-notifications.service.js';
import { PushSecrets } from './settings/push-secrets.js';
import { SendService } from './notifications/sending/send.service.js';
import { PushOverview } from './overview/push-overview.service.js';
import { PushPurge } from './push-purge.js';
import { PushSettingsController } from './settings/push-settings.controller.js';
import { PushSettingsStoreModule } from './settings/push-settings-store.module.js';
import { PushSettingsService } from './settings/push-settings.service.js';
import { ShownPushSettings } from './settings/shown-push-settings.js';
import { CapturedPush } from './sink/captured-push.entity.js';
import { PushSink } from './sink/push-sink.service.js';
import { FcmTransport } from './transports/fcm/fcm.transport.js';
import { PushSender } from './deliveries/push-sender.js';
import { VapidSignatures } from './transports/vapid-signatures.js';
import { WebPushTransport } from './transports/web-push.transport.js';
import { WebhooksModule } from './webhooks/webhooks.module.js';

/** Owns push settings, devices, notifications and webhooks. Enrollment decides who can get notifications. */
@Module({
  imports: [
    AppsModule,
    EnrollmentModule,
    UsersModule,
    OutboundModule,
    PushSettingsStoreModule,
    WebhooksModule,
    TypeOrmModule.forFeature([
      PushDevice,
      Notification,
      NotificationBatch,
      NotificationDelivery,
      PushUsage,
      PushReply,
      CapturedPush,
    ]),
  ],
  controllers: [PushSettingsController, PushDevicesController, SendController],
  providers: [
    PushSecrets,
    PushSettingsService,
    ShownPushSettings,
    PushDevicesService,
    DeviceRegistrationService,
    DeviceRemovalService,
    RegistrationAccess,
    SealedDevices,
    UserDevices,
    PushDevicesRepository,
    NotificationIntake,
    SendService,
    SentNotificationsService,
    TestNotificationsService,
    NotificationsRepository,
    NotificationBatches,
    NotificationLog,
    PushMeasure,
    PushOverview,
    PushQuota,
    PushReplies,
    PushPurge,
    DeliveriesRepository,
    DeliveryLeases,
    DeliveryResults,
    DeliveryAttempts,
    DeliveryWork,
    DeliveryQueues,
    DeliverySweep,
    PushDueHandler,
    WriteBatchHandler,
    PushProcessor,
    PushSender,
    WebPushTransport,
    VapidSignatures,
    FcmTransport,
    PushSink,
  ],
  exports: [
    PushSettingsService,
    PushDevicesService,
    UserDevices,
    SendService,
    TestNotificationsService,
    NotificationLog,
    NotificationsRepository,
    PushOverview,
    PushQuota,
    PushSink,
  ],
})
export class PushModule {}
