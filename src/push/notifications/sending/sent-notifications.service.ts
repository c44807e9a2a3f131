import { Injectable } from '@nestjs/common';
import type { RequestContext } from '../../../common/request-context.js';
import { NotificationNotFound } from '../../errors/push.errors.js';
import { senderOf } from './sender.js';
import type { Notification } from '../notification.entity.js';
import { NotificationBatches } from '../notification-batches.service.js';

/** What an app's server has sent. */
@Injectable()
export class SentNotificationsService {
  constructor(private readonly notifications: NotificationBatches) {}

  /** One of the app's own. @throws NotificationNotFound */
  async get(ctx: RequestContext, id: string): Promise<Notification> {
    const { appId } = senderOf(ctx);
    const notification = await this.notifications.find(appId, id);
    if (notification?.appId !== appId) throw new NotificationNotFound();
    return notification;
  }
}
