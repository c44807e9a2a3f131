import { Injectable } from '@nestjs/common';
import { JobHandler } from '../../delivery/job-handler.js';
import type { Jobs } from '../../delivery/jobs.js';
import { WebhookLanes } from './webhook-lanes.js';

declare module '../../delivery/jobs.js' {
  interface Jobs {
    /** A hint: what is due stands in `webhook_messages`. */
    'webhook.due': { readonly appId: string };
  }
}

/** Wakes the app's lane where jobs are run. */
@Injectable()
export class WebhookDueHandler extends JobHandler<'webhook.due'> {
  readonly job = 'webhook.due';

  constructor(private readonly lanes: WebhookLanes) {
    super();
  }

  async handle({ appId }: Jobs['webhook.due']): Promise<void> {
    this.lanes.wake(appId);
  }
}
