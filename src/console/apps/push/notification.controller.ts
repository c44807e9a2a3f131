import { Controller, Get, Param, Res } from '@nestjs/common';
import type { Response } from 'express';
import type { App } from '../../../apps/app/app.entity.js';
import { Clock } from '../../../common/clock.js';
import { NotificationLog } from '../../../push/notifications/notification-log.service.js';
import type { Notification } from '../../../push/notifications/notification.entity.js';
import { PushSink } from '../../../push/sink/push-sink.service.js';
import { ConsolePage } from '../../frame/pages/console-page.js';
import { type ConsoleRequest, CurrentConsoleRequest } from '../../frame/requests/console-request.js';
import { column } from '../../frame/lists/table-column.js';
import { AppPages } from '../page/app-pages.js';
import { PushUsersReader } from './push-users.js';
import { deliveryRow, notificationRow } from './push-rows.js';

const DELIVERY_COLUMNS = [
  column('Device', { className: 'col-id' }),
  column('Platform'),
  column('State'),
  column('Attempts', { className: 'number' }),
  column('Reason'),
];

/** Details of one notification. */
@Controller('console/apps/:app_id/push/notifications')
export class NotificationController {
  constructor(
    private readonly log: NotificationLog,
    private readonly sink: PushSink,
    private readonly users: PushUsersReader,
    private readonly pages: AppPages,
    private readonly clock: Clock,
  ) {}

  @Get(':notification_id')
  @ConsolePage('app_admin')
  async show(
    @CurrentConsoleRequest() consoleRequest: ConsoleRequest,
    @Param('app_id') id: string,
    @Param('notification_id') notificationId: string,
    @Res() response: Response,
  ): Promise<void> {
    const app = await this.pages.governed(consoleRequest, id);
    const { notification, deliveries } = await this.log.get(consoleRequest.ctx, id, notificationId);
    const [users, captured] = await Promise.all([
      this.users.of(app.id, [notification]),
      this.sink.capturedAmong(deliveries.map((delivery) => delivery.id)),
    ]);
    const now = this.clock.now();
    await this.pages.show(consoleRequest, response, app, {
      tab: 'push',
      view: 'notification',
      title: 'Notification',
      model: {
        auditUrl: auditUrl(app, notification),
        notification: notificationRow(app, notification, users, now),
        columns: DELIVERY_COLUMNS,
        deliveries: deliveries.map((delivery) => deliveryRow(delivery, captured.has(delivery.id), now)),
      },
    });
  }
}

/**
 * A send to several users has a single audit entry without notification ids, so the link uses the time: the
 * notification and the entry are stored together.
 */
function auditUrl(app: App, { createdAt }: Notification): string {
  const near = (milliseconds: number) => new Date(createdAt.getTime() + milliseconds).toISOString();
  const filter = { app_id: app.id, action: 'push.sent', after: near(-1_000), before: near(1_000) };
  return `/console/audit?${new URLSearchParams(filter).toString()}`;
}
