import { Injectable } from '@nestjs/common';
import { UserTrace } from '../../users/user-trace.js';
import { NotificationsRepository } from './notifications.repository.js';

@Injectable()
export class NotificationTrace extends UserTrace {
  readonly name = 'notifications';

  constructor(private readonly notifications: NotificationsRepository) {
    super();
  }

  count(userId: string): Promise<number> {
    return this.notifications.countOfUser(userId);
  }
}
