import { Controller, Get, Param, Query, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { Clock } from '../../../common/clock.js';
import { MAX_COUNTED_DEVICES } from '../../../push/devices/push-devices.repository.js';
import { PushDevicesService } from '../../../push/devices/push-devices.service.js';
import { NotificationLog } from '../../../push/notifications/notification-log.service.js';
import { ConsolePage } from '../../frame/pages/console-page.js';
import { type ConsoleRequest, CurrentConsoleRequest } from '../../frame/requests/console-request.js';
import { searchText } from '../../../common/lists/search-text.js';
import { pagerOf, readChosenPage } from '../../frame/lists/pager.js';
import { AppPages } from '../page/app-pages.js';
import { PushUsersReader } from './push-users.js';
import {
  DEVICE_COLUMNS,
  deviceRow,
  isNotificationStatus,
  NOTIFICATION_COLUMNS,
  NOTIFICATION_STATES,
  notificationRow,
} from './push-rows.js';

/** Complete lists of an app's devices and notifications. */
@Controller('console/apps/:app_id/push')
export class PushListsController {
  constructor(
    private readonly devices: PushDevicesService,
    private readonly log: NotificationLog,
    private readonly users: PushUsersReader,
    private readonly pages: AppPages,
    private readonly clock: Clock,
  ) {}

  @Get('devices')
  @ConsolePage('app_admin')
  async listDevices(
    @CurrentConsoleRequest() consoleRequest: ConsoleRequest,
    @Param('app_id') id: string,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const app = await this.pages.governed(consoleRequest, id);
    const page = readChosenPage(request.query);
    const search = searchText(request.query['q']);
    const { userIds, isCut } = await this.users.find(consoleRequest.ctx, id, search);
    const { devices, total, hasMore } = await this.devices.list(consoleRequest.ctx, id, page, userIds);
    const users = await this.users.of(app.id, devices);
    await this.pages.show(consoleRequest, response, app, {
      tab: 'push',
      view: 'devices',
      title: 'Devices',
      model: {
        q: search,
        isCut,
        columns: DEVICE_COLUMNS,
        devices: devices.map((device) => deviceRow(device, users, this.clock.now())),
        pager: pagerOf(request, {
          ...page,
          total: total < MAX_COUNTED_DEVICES ? total : null,
          count: devices.length,
          hasMore,
        }),
      },
    });
  }

  @Get('notifications')
  @ConsolePage('app_admin')
  async listNotifications(
    @CurrentConsoleRequest() consoleRequest: ConsoleRequest,
    @Param('app_id') id: string,
    @Query() query: Readonly<Record<string, unknown>>,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const app = await this.pages.governed(consoleRequest, id);
    const page = readChosenPage(query);
    const status = isNotificationStatus(query['status']) ? query['status'] : undefined;
    const search = searchText(query['q']);
    const { userIds, isCut } = await this.users.find(consoleRequest.ctx, id, search);
    const filter = { ...page, status, userIds };
    const { notifications, hasMore } = await this.log.list(consoleRequest.ctx, id, filter);
    const users = await this.users.of(app.id, notifications);
    await this.pages.show(consoleRequest, response, app, {
      tab: 'push',
      view: 'notifications',
      title: 'Notifications',
      model: {
        q: search,
        isCut,
        states: [
          { value: '', label: 'All states', isChosen: !status },
          ...Object.entries(NOTIFICATION_STATES).map(([value, { text }]) => ({
            value,
            label: text,
            isChosen: value === status,
          })),
        ],
        isFiltered: status !== undefined || search !== '',
        columns: NOTIFICATION_COLUMNS,
        notifications: notifications.map((each) => notificationRow(app, each, users, this.clock.now())),
        pager: pagerOf(request, { ...page, total: null, count: notifications.length, hasMore }),
      },
    });
  }
}
