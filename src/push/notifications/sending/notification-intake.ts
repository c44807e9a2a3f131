import type { EntityManager } from 'typeorm';
import { Injectable } from '@nestjs/common';
import type { App } from '../../../apps/app/app.entity.js';
import { AuditService } from '../../../audit/audit.service.js';
import { Randomness } from '../../../common/randomness.js';
import type { RequestContext } from '../../../common/request-context.js';
import { Outbox } from '../../../delivery/outbox/outbox.service.js';
import { UserNotEnrolled } from '../../errors/push.errors.js';
import { PushQuota } from '../../quota/push-quota.service.js';
import { batchIdOf, idsInBatch } from '../batch-ids.rules.js';
import type { Message } from '../message.js';
import { NotificationsRepository } from '../notifications.repository.js';
import { MAX_TTL_SECONDS } from './send.dto.js';

declare module '../../../delivery/outbox/jobs.js' {
  interface Jobs {
    /** Only a hint: some of this app's deliveries are due. */
    'push.due': { readonly appId: string };
  }
}

export interface NotificationRequest {
  readonly userIds: readonly string[];
  /** One message for all users, or one for each. `ttl` null: the maximum. */
  readonly messages: readonly (Omit<Message, 'ttl'> & { readonly ttl: number | null })[];
  /** Whether faults contain the index of the item. */
  readonly isList: boolean;
  readonly idempotencyKey: string | null;
  /** Compared by `PushReplies` if the key is sent a second time. */
  readonly request: unknown;
}

/** Accepts notifications: writes their rows, the quota, the job and the audit entry, in the caller's transaction. */
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
    sending: NotificationRequest,
    dailyQuota: number,
  ): Promise<{ ids: string[] }> {
    const { userIds } = sending;
    const { missing, devices } = await this.notifications.readAudience(tx, appId, userIds);
    if (missing !== null) throw new UserNotEnrolled(sending.isList ? missing : undefined);
    await this.quota.take(tx, appId, userIds.length, dailyQuota);
    const ids = await this.store(tx, appId, sending);
    if (devices > 0 || ids.length > 1) await this.outbox.add(tx, 'push', 'push.due', { appId }, { group: tenantId });
    await this.audit.record(tx, ctx, 'push.sent', {
      tenantId,
      appId,
      ...(userIds.length === 1 ? { userId: userIds[0] } : {}),
      metadata: { notifications: userIds.length, deliveries: devices },
    });
    return { ids };
  }

  /**
   * Stores a single notification directly, and several as one row, from which they are written afterwards
   * (docs/decisions/0087).
   */
  private async store(tx: EntityManager, appId: string, { userIds, messages }: NotificationRequest): Promise<string[]> {
    const contents = messages.map((message) => ({ ...message, ttl: message.ttl ?? MAX_TTL_SECONDS }));
    const id = this.randomness.uuid();
    if (userIds.length === 1) {
      await this.notifications.insert(tx, { id, appId, userId: userIds[0]! }, contents[0]!);
      return [id];
    }
    const batchId = batchIdOf(id);
    await this.notifications.insertBatch(tx, { id: batchId, appId, userIds, messages: contents });
    return idsInBatch(batchId, userIds.length);
  }
}
