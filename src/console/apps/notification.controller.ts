import { Controller, Get, Param, Res } from '@nestjs/common';
import type { Response } from 'express';
import { Clock } from '../../common/clock.js';
import { AppMembers } from '../../enrollment/app-members.js';
import { NotificationLog } from '../../push/notifications/notification-log.service.js';
import { PushSink } from '../../push/sink/push-sink.service.js';
import { ConsolePage } from '../frame/console-page.js';
import { type ConsoleRequest, CurrentConsoleRequest } from '../frame/console-request.js';
import { column } from '../frame/table-column.js';
import { AppPages } from './app-pages.js';
import { deliveryRow, notificationRow, peopleOf } from './push-rows.js';

const DELIVERY_COLUMNS = [
  column('Device', { className: 'col-id' }),
  column('Platform'),
  column('State'),
  column('Attempts', { className: 'number' }),
  column('Reason'),
];

/** What became of one notification. */
@Controller('console/apps/:app_id/push/notifications')
export class NotificationController {
  constructor(
    private readonly log: NotificationLog,
    private readonly sink: PushSink,
    private readonly members: AppMembers,
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
    const [people, captured] = await Promise.all([
      peopleOf(this.members, app.id, [notification]),
      this.sink.capturedAmong(deliveries.map((delivery) => delivery.id)),
    ]);
    const now = this.clock.now();
    await this.pages.show(consoleRequest, response, app, {
      tab: 'push',
      view: 'notification',
      title: 'Notification',
      model: {
        notification: notificationRow(app, notification, people, now),
        columns: DELIVERY_COLUMNS,
        deliveries: deliveries.map((delivery) => deliveryRow(delivery, captured.has(delivery.id), now)),
      },
    });
  }
}
