import { Injectable } from '@nestjs/common';
import { AppDirectory } from '../../../apps/directory/app-directory.js';
import type { RequestContext } from '../../../common/request-context.js';
import { Transactions } from '../../../database/transactions.js';
import { DataPayloadTooLarge, PushNotEnabled } from '../../errors/push.errors.js';
import { PushSettingsService } from '../../settings/push-settings.service.js';
import { senderOf } from './sender.js';
import { NotificationIntake, type NotificationRequest } from './notification-intake.js';
import { PushReplies } from './push-replies.service.js';

const MAX_DATA_BYTES = 4096;

/** Sends notifications for an app: rows and job are committed before the answer, delivery follows. */
@Injectable()
export class SendService {
  constructor(
    private readonly directory: AppDirectory,
    private readonly settings: PushSettingsService,
    private readonly intake: NotificationIntake,
    private readonly replies: PushReplies,
    private readonly transactions: Transactions,
  ) {}

  /**
   * All of them or none.
   * @returns ids of the notifications, in the order of the messages
   * @throws PushNotEnabled, DataPayloadTooLarge, UserNotEnrolled, DailyQuotaExceeded, IdempotencyKeyReused
   */
  async send(ctx: RequestContext, sending: NotificationRequest): Promise<readonly string[]> {
    return this.sendFor(ctx, senderOf(ctx).appId, sending);
  }

  /** For a caller that has checked that it may send for this app. @throws as {@link send} */
  async sendFor(ctx: RequestContext, appId: string, sending: NotificationRequest): Promise<readonly string[]> {
    const client = await this.directory.findOpen(appId);
    if (!client?.app.pushEnabled) throw new PushNotEnabled();
    const tooLarge = sending.messages.findIndex(({ data }) => isTooLarge(data));
    if (tooLarge >= 0) throw new DataPayloadTooLarge(sending.isList ? tooLarge : undefined);
    const { dailyQuota } = await this.settings.of(client.app);
    return this.transactions.run(async (tx) => {
      const effect = () => this.intake.accept(tx, ctx, client.app, sending, dailyQuota);
      const key = sending.idempotencyKey;
      const { ids } = key ? await this.replies.once(tx, { appId, key, body: sending.request }, effect) : await effect();
      return ids;
    });
  }
}

function isTooLarge(data: Record<string, unknown> | null): boolean {
  return data !== null && Buffer.byteLength(JSON.stringify(data), 'utf8') > MAX_DATA_BYTES;
}
