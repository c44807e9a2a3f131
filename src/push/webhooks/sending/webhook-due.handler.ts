import { Injectable } from '@nestjs/common';
import { JobHandler } from '../../../delivery/worker/job-handler.js';
import type { Jobs } from '../../../delivery/outbox/jobs.js';
import { WebhookQueues } from './webhook-queues.js';

declare module '../../../delivery/outbox/jobs.js' {
  interface Jobs {
    /** Only a hint: `webhook_messages` contains what is due. */
    'webhook.due': { readonly appId: string };
  }
}

/** Wakes the app's queue in the processes that run jobs. */
@Injectable()
export class WebhookDueHandler extends JobHandler<'webhook.due'> {
  readonly job = 'webhook.due';

  constructor(private readonly queues: WebhookQueues) {
    super();
  }

  async handle({ appId }: Jobs['webhook.due']): Promise<void> {
    this.queues.wake(appId);
  }
}
