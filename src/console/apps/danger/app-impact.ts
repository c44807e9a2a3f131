import { Injectable } from '@nestjs/common';
import type { App } from '../../../apps/app/app.entity.js';
import { VisibleUsers } from '../../../enrollment/users/visible-users.service.js';
import { StatisticsService } from '../../../operations/statistics/statistics.service.js';
import { PushDevicesService } from '../../../push/devices/push-devices.service.js';
import { deviceCountInWords } from '../push/push-rows.js';
import type { ConsoleRequest } from '../../frame/requests/console-request.js';

/** The effect of switching an app off. */
@Injectable()
export class AppImpact {
  constructor(
    private readonly visibleUsers: VisibleUsers,
    private readonly devices: PushDevicesService,
    private readonly statistics: StatisticsService,
  ) {}

  /** Numbers of members, devices and other things that are affected. */
  async of({ ctx }: ConsoleRequest, app: App): Promise<{ label: string; value: string }[]> {
    const [members, devices, { counts }] = await Promise.all([
      this.visibleUsers.list(ctx, { appId: app.id, page: 1, limit: 1 }),
      this.devices.count(app.id),
      this.statistics.read(ctx, { unit: 'day', length: 14, appId: app.id }),
    ]);
    const signIns = counts.sign_ins.reduce((sum, count) => sum + count, 0);
    return [
      { label: 'Members', value: members.total === null ? 'more than 1,000' : members.total.toLocaleString('en') },
      { label: 'Sign-ins in 14 days', value: signIns.toLocaleString('en') },
      { label: 'Registered devices', value: deviceCountInWords(devices) },
      { label: 'Service scopes', value: app.serviceScopes.join(', ') || 'None' },
    ];
  }
}
