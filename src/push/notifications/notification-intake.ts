import type { EntityManager } from 'typeorm';
import { Injectable } from '@nestjs/common';
import type { App } from '../../apps/app.entity.js';
import { AuditService } from '../../audit/audit.service.js';
import { Randomness } from '../../common/randomness.js';
import type { RequestContext } from '../../common/request-context.js';
import { Outbox } from '../../delivery/outbox.service.js';
import { UserNotEnrolled } from '../errors/push.errors.js';
import { PushQuota } from '../quota/push-quota.service.js';
import { type Message, NotificationsRepository } from './notifications.repository.js';
import { MAX_TTL } from './send.dto.js';

declare module '../../delivery/jobs.js' {
  interface Jobs {
    /** Some of this app's deliveries are due; their rows say which. */
    'push.due': { readonly appId: string };
  }
}

export interface Sending {
  /** `ttl` null: the maximum. */
  readonly messages: readonly (Omit<Message, 'ttl'> & { readonly ttl: number | null })[];
  /** Faults name the item. */
  readonly isList: boolean;
  readonly idempotencyKey: string | null;
  /** What `PushReplies` compares where the key comes a second time. */
  readonly request: unknown;
}

/** Takes in notifications: their rows, the quota, the job and the audit entry, in the caller's transaction. */
@Injectable()
export class NotificationIntake {
  constructor(
    private readonly notifications: NotificationsRepository,
    private readonly quota: PushQuota,
    private readonly outbox: Outbox,
    private readonly audit: AuditService,
    private readonly randomness: Randomness,
  ) {}

  /** @throws UserNotEnrolled, DailyQuotaExceeded */
  async accept(
    tx: EntityManager,
    ctx: RequestContext,
    { id: appId, tenantId }: App,
    sending: Sending,
    dailyQuota: number,
  ): Promise<{ ids: string[] }> {
    const messages = sending.messages.map((message) => ({
      ...message,
      ttl: message.ttl ?? MAX_TTL,
      id: this.randomness.uuid(),
    }));
    const targets = messages.map((message) => message.userId);
    const reachable = await this.notifications.listReachable(tx, appId, targets);
    const missing = targets.findIndex((userId) => !reachable.has(userId));
    if (missing >= 0) throw new UserNotEnrolled(sending.isList ? missing : undefined);
    await this.quota.take(tx, appId, messages.length, dailyQuota);
    const deliveries = await this.notifications.insert(tx, appId, messages);
    if (deliveries > 0) await this.outbox.add(tx, 'push', 'push.due', { appId }, { group: appId });
    await this.audit.record(tx, ctx, 'push.sent', {
      tenantId,
      appId,
      ...(messages.length === 1 ? { userId: targets[0] } : {}),
      metadata: { notifications: messages.length, deliveries },
    });
    return { ids: messages.map((message) => message.id) };
  }
}
