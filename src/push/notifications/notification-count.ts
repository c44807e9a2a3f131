import { Injectable } from '@nestjs/common';
import { ImpactCount } from '../../users/impact-count.js';
import { NotificationsRepository } from './notifications.repository.js';

@Injectable()
export class NotificationCount extends ImpactCount {
  readonly name = 'notifications';

  constructor(private readonly notifications: NotificationsRepository) {
    super();
  }

  count(userId: string): Promise<number> {
    return this.notifications.countOfUser(userId);
  }
}
