import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { In, Repository } from 'typeorm';
import { AppsService } from '../../apps/directory/apps.service.js';
import type { RequestContext } from '../../common/request-context.js';
import { DeepPages } from '../../database/queries/deep-pages.js';
import { readNumberedPage } from '../../database/queries/numbered-page.js';
import { NotificationNotFound } from '../errors/push.errors.js';
import { NotificationDelivery } from './notification-delivery.entity.js';
import { NotificationBatches } from './notification-batches.service.js';
import { Notification, type NotificationStatus } from './notification.entity.js';

/** Counting stops here, because a busy app sends many notifications a day. */
const MAX_COUNTED = 10_000;

export interface NotificationFilter {
  readonly status?: NotificationStatus;
  /** Only those to these users. */
  readonly userIds?: readonly string[];
  readonly limit: number;
  /** From 1. */
  readonly page: number;
}

/** The status of an app's notifications, for its administrators. Their content is not shown: it is for the user only. */
@Injectable()
export class NotificationLog {
  constructor(
    private readonly apps: AppsService,
    private readonly batches: NotificationBatches,
    @InjectRepository(Notification) private readonly notifications: Repository<Notification>,
    @InjectRepository(NotificationDelivery) private readonly deliveries: Repository<NotificationDelivery>,
    private readonly deepPages: DeepPages,
  ) {}

  /** Newest first. @throws AppNotFound, InsufficientPermissions */
  async list(
    ctx: RequestContext,
    appId: string,
    { status, userIds, limit, page }: NotificationFilter,
  ): Promise<{ notifications: Notification[]; hasMore: boolean }> {
    await this.apps.getAdministered(ctx, appId);
    await this.batches.writeNewest(appId);
    const where = { appId, ...(status ? { status } : {}), ...(userIds ? { userId: In([...userIds]) } : {}) };
    const rows = () => this.notifications.createQueryBuilder('listed').where(where);
    const list = { name: 'notifications', filter: { appId, status, userIds }, time: 'createdAt', rows } as const;
    const found = await readNumberedPage(this.deepPages, list, { page, limit });
    return { notifications: found.rows, hasMore: found.hasMore };
  }

  /** By status, of the last day. @throws AppNotFound, InsufficientPermissions */
  async countLastDay(ctx: RequestContext, appId: string): Promise<Map<NotificationStatus, number>> {
    await this.apps.getAdministered(ctx, appId);
    await this.batches.writeNewest(appId);
    const rows = await this.notifications.query<{ status: NotificationStatus; count: number }[]>(
      `SELECT status, count(*)::int AS count FROM (
         SELECT status FROM notifications WHERE app_id = $1 AND created_at > now() - interval '1 day'
         ORDER BY created_at DESC LIMIT $2) AS latest
       GROUP BY status`,
      [appId, MAX_COUNTED],
    );
    return new Map(rows.map(({ status, count }) => [status, count]));
  }

  /** With the outcome on each device. @throws AppNotFound, InsufficientPermissions, NotificationNotFound */
  async get(
    ctx: RequestContext,
    appId: string,
    id: string,
  ): Promise<{ notification: Notification; deliveries: NotificationDelivery[] }> {
    await this.apps.getAdministered(ctx, appId);
    const notification = await this.batches.find(appId, id);
    if (notification?.appId !== appId) throw new NotificationNotFound();
    const deliveries = await this.deliveries.find({ where: { notificationId: id }, order: { id: 'ASC' }, take: 100 });
    return { notification, deliveries };
  }
}
