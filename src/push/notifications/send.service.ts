import { Injectable } from '@nestjs/common';
import { AppDirectory } from '../../apps/app-directory.js';
import { AppsService } from '../../apps/apps.service.js';
import { AuditService } from '../../audit/audit.service.js';
import type { ServiceActor } from '../../common/actor.js';
import { InsufficientPermissions, MissingRequiredScope } from '../../common/http/http.refusals.js';
import { Randomness } from '../../common/randomness.js';
import type { RequestContext } from '../../common/request-context.js';
import { Transactions } from '../../database/transactions.js';
import { Outbox } from '../../delivery/outbox.service.js';
import { DataPayloadTooLarge, NotificationNotFound, PushNotEnabled, UserNotEnrolled } from '../errors/push.errors.js';
import { PushSettingsService } from '../settings/push-settings.service.js';
import type { Notification } from './notification.entity.js';
import { type Message, NotificationsRepository } from './notifications.repository.js';
import { PushQuota } from '../quota/push-quota.service.js';
import { PushReplies } from './push-replies.service.js';
import { MAX_TTL } from './send.dto.js';

declare module '../../delivery/jobs.js' {
  interface Jobs {
    /** Some of this app's deliveries are due; their rows say which. */
    'push.due': { readonly appId: string };
  }
}

const MAX_DATA_BYTES = 4096;
/** Seconds: an operator who tests it looks at the device now. */
const TEST_TTL = 300;

export interface Sending {
  /** `ttl` null: the maximum. */
  readonly messages: readonly (Omit<Message, 'ttl'> & { readonly ttl: number | null })[];
  /** Faults name the item. */
  readonly isList: boolean;
  readonly idempotencyKey: string | null;
  /** For {@link PushReplies}. */
  readonly request: unknown;
}

/** Sends notifications for an app: rows and job are committed before the answer, delivery follows. */
@Injectable()
export class SendService {
  constructor(
    private readonly notifications: NotificationsRepository,
    private readonly settings: PushSettingsService,
    private readonly apps: AppsService,
    private readonly directory: AppDirectory,
    private readonly quota: PushQuota,
    private readonly replies: PushReplies,
    private readonly outbox: Outbox,
    private readonly transactions: Transactions,
    private readonly audit: AuditService,
    private readonly randomness: Randomness,
  ) {}

  /**
   * All of them or none.
   * @returns ids of the notifications, in the order of the messages
   * @throws PushNotEnabled, DataPayloadTooLarge, UserNotEnrolled, DailyQuotaExceeded, IdempotencyKeyReused
   */
  async send(ctx: RequestContext, sending: Sending): Promise<readonly string[]> {
    return this.sendFor(ctx, sender(ctx).appId, sending);
  }

  /**
   * A test notification to oneself, for operators who administer the app. It counts towards the quota.
   * @returns the notification's id
   * @throws AppNotFound, InsufficientPermissions, PushNotEnabled, UserNotEnrolled, DailyQuotaExceeded
   */
  async sendToOneself(ctx: RequestContext, appId: string, text: Pick<Message, 'title' | 'body'>): Promise<string> {
    const { actor } = ctx;
    await this.apps.getAdministered(ctx, appId);
    if (actor.type !== 'user') throw new InsufficientPermissions();
    const message = { ...text, userId: actor.userId, data: null, ttl: TEST_TTL };
    const [id] = await this.sendFor(ctx, appId, {
      messages: [message],
      isList: false,
      idempotencyKey: null,
      request: null,
    });
    return id!;
  }

  /** One of the app's own. @throws NotificationNotFound */
  async get(ctx: RequestContext, id: string): Promise<Notification> {
    const notification = await this.notifications.find(id);
    if (notification?.appId !== sender(ctx).appId) throw new NotificationNotFound();
    return notification;
  }

  private async sendFor(ctx: RequestContext, appId: string, sending: Sending): Promise<readonly string[]> {
    const known = await this.directory.findOpen(appId);
    if (!known?.app.pushEnabled) throw new PushNotEnabled();
    const tooLarge = sending.messages.findIndex(({ data }) => isTooLarge(data));
    if (tooLarge >= 0) throw new DataPayloadTooLarge(sending.isList ? tooLarge : undefined);
    const { dailyQuota } = await this.settings.of(known.app);
    const messages = sending.messages.map((message) => ({
      ...message,
      ttl: message.ttl ?? MAX_TTL,
      id: this.randomness.uuid(),
    }));
    return this.transactions.run(async (tx) => {
      const effect = async () => {
        const targets = messages.map((message) => message.userId);
        const reachable = await this.notifications.listReachable(tx, appId, targets);
        const missing = targets.findIndex((userId) => !reachable.has(userId));
        if (missing >= 0) throw new UserNotEnrolled(sending.isList ? missing : undefined);
        await this.quota.take(tx, appId, messages.length, dailyQuota);
        const deliveries = await this.notifications.insert(tx, appId, messages);
        if (deliveries > 0) await this.outbox.add(tx, 'push', 'push.due', { appId });
        await this.audit.record(tx, ctx, 'push.sent', {
          tenantId: known.app.tenantId,
          appId,
          ...(messages.length === 1 ? { userId: targets[0] } : {}),
          metadata: { notifications: messages.length, deliveries },
        });
        return { ids: messages.map((message) => message.id) };
      };
      const key = sending.idempotencyKey;
      const { ids } = key ? await this.replies.once(tx, { appId, key, body: sending.request }, effect) : await effect();
      return ids;
    });
  }
}

function sender({ actor }: RequestContext): ServiceActor {
  if (actor.type !== 'service') throw new MissingRequiredScope();
  return actor;
}

function isTooLarge(data: Record<string, unknown> | null): boolean {
  return data !== null && Buffer.byteLength(JSON.stringify(data), 'utf8') > MAX_DATA_BYTES;
}
