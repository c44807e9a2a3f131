import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { MailOrigin } from '../../../../enrollment/notices/account-mails.js';
import { PushSettingsService } from '../../../../push/settings/push-settings.service.js';
import { ExampleRowsRepository, type WebhookRow } from './example-rows.repository.js';
import { EXAMPLE_TENANTS } from '../plan/example-tenants.js';

const MESSAGES = 40;
const HOURS_BETWEEN = 5;
/** Number of newest messages of the failing webhook that were not delivered. */
const FAILED = 9;
const HOUR_MS = 3600 * 1000;

/** Example push settings and webhooks. All messages are marked as done, so nothing is sent to the made-up addresses. */
@Injectable()
export class ExampleWebhooks {
  constructor(
    private readonly settings: PushSettingsService,
    private readonly rows: ExampleRowsRepository,
  ) {}

  async write(tx: EntityManager, apps: ReadonlyMap<string, Pick<MailOrigin, 'app'>>, now: Date): Promise<void> {
    const rows: WebhookRow[] = [];
    for (const { bundleId, webhook } of EXAMPLE_TENANTS.flatMap((tenant) => tenant.apps)) {
      if (!webhook) continue;
      const { app } = apps.get(bundleId)!;
      await this.settings.apply(tx, app, { enabled: true, webhook_url: webhook.url });
      for (let index = 0; index < MESSAGES; index++)
        rows.push(messageOf(app.id, index, webhook.isFailing && index < FAILED, now));
    }
    await this.rows.insertWebhookMessages(tx, rows);
  }
}

/** @param index 0 is the newest */
function messageOf(appId: string, index: number, isFailed: boolean, now: Date): WebhookRow {
  const at = new Date(now.getTime() - (index + 1) * HOURS_BETWEEN * HOUR_MS);
  const type = index % 7 === 3 ? 'push.failed' : 'push.delivered';
  const [status, error] = isFailed ? [503, 'unexpected_status'] : [204, null];
  return {
    app_id: appId,
    type,
    body: JSON.stringify({
      type,
      timestamp: at.toISOString(),
      data: { app_id: appId, platform: 'web', status: type.slice('push.'.length), error: null, attempt: 1 },
    }),
    status: isFailed ? 'failed' : 'delivered',
    last_status: status,
    last_error: error,
    history: [{ at: at.toISOString(), status, error }],
    created_at: at,
  };
}
