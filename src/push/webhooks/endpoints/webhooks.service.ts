import { Injectable } from '@nestjs/common';
import { AppChanges } from '../../../apps/changes/app-changes.js';
import { AppsService } from '../../../apps/directory/apps.service.js';
import { Clock } from '../../../common/clock.js';
import { Randomness } from '../../../common/randomness.js';
import type { RequestContext } from '../../../common/request-context.js';
import { WebhookDispatch } from '../sending/webhook-dispatch.js';

const TEST_EVENT = 'webhook.test';
/** Messages. */
export const MAX_REPLAYED_MESSAGES = 1_000;

/** What operators can do with an app's webhook: send a message again, send a test. Both count as changes of the app. */
@Injectable()
export class WebhooksService {
  constructor(
    private readonly apps: AppsService,
    private readonly dispatch: WebhookDispatch,
    private readonly changes: AppChanges,
    private readonly clock: Clock,
    private readonly randomness: Randomness,
  ) {}

  /**
   * Sends a message again, whatever its status: the same id and body, with a new schedule.
   * @throws AppNotFound, InsufficientPermissions, WebhookMessageNotFound, WebhookNotConfigured, WebhookIsDisabled,
   * RateLimited
   */
  async replay(ctx: RequestContext, appId: string, messageId: string): Promise<void> {
    await this.changes.runUncached({ ctx, appId }, async (tx) => {
      const app = await this.apps.getAdministered(ctx, appId, tx);
      await this.dispatch.replay(tx, ctx, app, messageId);
    });
  }

  /**
   * Sends the newest {@link MAX_REPLAYED_MESSAGES} failed messages again, each with the same id and body.
   * @returns how many
   * @throws AppNotFound, InsufficientPermissions, PushNotEnabled, WebhookNotConfigured, WebhookIsDisabled,
   * RateLimited
   */
  async replayFailed(ctx: RequestContext, appId: string): Promise<number> {
    return this.changes.runUncached({ ctx, appId }, async (tx) => {
      const app = await this.apps.getAdministered(ctx, appId, tx);
      return this.dispatch.replayFailed(tx, ctx, app, MAX_REPLAYED_MESSAGES);
    });
  }

  /**
   * Sends an event of the type `webhook.test`, in the same way as all others.
   * @returns id of the message
   * @throws AppNotFound, InsufficientPermissions, PushNotEnabled, WebhookNotConfigured, WebhookIsDisabled,
   * RateLimited
   */
  async test(ctx: RequestContext, appId: string): Promise<string> {
    const id = this.randomness.uuid();
    const event = { type: TEST_EVENT, timestamp: this.clock.now().toISOString(), data: { app_id: appId } };
    await this.changes.runUncached({ ctx, appId }, async (tx) => {
      const app = await this.apps.getAdministered(ctx, appId, tx);
      await this.dispatch.test(tx, ctx, app, { id, type: TEST_EVENT, body: JSON.stringify(event) });
    });
    return id;
  }
}
