import { Injectable } from '@nestjs/common';
import { AppsService } from '../../../apps/directory/apps.service.js';
import { InsufficientPermissions } from '../../../common/http/http.refusals.js';
import type { RequestContext } from '../../../common/request-context.js';
import { SendService } from './send.service.js';
import type { Message } from '../message.js';

/** In seconds: an operator who tests it is looking at the device now. */
const TEST_TTL = 300;

/** A notification that an administrator sends to their own devices. */
@Injectable()
export class TestNotificationsService {
  constructor(
    private readonly apps: AppsService,
    private readonly sending: SendService,
  ) {}

  /**
   * Sends to the user's own devices, for a user who governs the app. It counts like every other notification.
   * @returns the notification's id
   * @throws AppNotFound, InsufficientPermissions, PushNotEnabled, UserNotEnrolled, DailyQuotaExceeded
   */
  async sendToOneself(ctx: RequestContext, appId: string, text: Pick<Message, 'title' | 'body'>): Promise<string> {
    const { actor } = ctx;
    await this.apps.getAdministered(ctx, appId);
    if (actor.type !== 'user') throw new InsufficientPermissions();
    const message = { ...text, data: null, ttl: TEST_TTL };
    const [id] = await this.sending.sendFor(ctx, appId, {
      userIds: [actor.userId],
      messages: [message],
      isList: false,
      idempotencyKey: null,
      request: null,
    });
    return id!;
  }
}
