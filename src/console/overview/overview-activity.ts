import { Injectable } from '@nestjs/common';
import { PushOverview } from '../../push/overview/push-overview.service.js';
import { canAdministerPlatform } from '../../common/actor.js';
import { QueuesService } from '../../operations/queues/queues.service.js';
import type { ConsoleRequest } from '../frame/requests/console-request.js';
import { RecentActivity } from './recent-activity.js';

const MAX_WEBHOOKS = 5;

/** Alerts for administrators, and recent activity. */
@Injectable()
export class OverviewActivity {
  constructor(
    private readonly push: PushOverview,
    private readonly activity: RecentActivity,
    private readonly queues: QueuesService,
  ) {}

  async read(consoleRequest: ConsoleRequest) {
    const { ctx, actor, chosenTenantId } = consoleRequest;
    const isPlatform = canAdministerPlatform(actor) && !chosenTenantId;
    const [apps, activity, deadJobs] = await Promise.all([
      this.push.first(consoleRequest.listCtx, 'failing', MAX_WEBHOOKS),
      this.activity.list(consoleRequest),
      isPlatform ? this.queues.countDead(ctx) : 0,
    ]);
    const failingWebhooks = apps.map(({ id, name, webhookIsDisabled, failing, seen }) => ({
      name,
      href: `/console/apps/${id}/webhooks`,
      words: webhookIsDisabled ? 'The receiver is gone' : `${failing} of the last ${seen} messages failed`,
    }));
    return { failingWebhooks, activity, deadJobs };
  }
}
