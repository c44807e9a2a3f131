import { Inject, Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository } from 'typeorm';
import { administeredScope } from '../../common/actor.js';
import type { RequestContext } from '../../common/request-context.js';
import { SETTINGS, type Settings } from '../../config/settings.js';
import { PushUsage } from '../quota/push-usage.entity.js';
import {
  type PushOverviewFilter,
  pushOverviewCountQuery,
  pushOverviewQuery,
  type PushState,
} from './push-overview.query.js';

/** The push figures of an app, for operators who administer it. */
export interface PushOfApp {
  readonly id: string;
  readonly name: string;
  readonly tenantName: string;
  readonly isActive: boolean;
  readonly isOn: boolean;
  /** Notifications of today (UTC). */
  readonly today: number;
  /** Of the last seven days, including today. */
  readonly week: number;
  /** One more than `MAX_COUNTED_DEVICES`: there are more. */
  readonly devices: number;
  readonly hasVapid: boolean;
  readonly hasOwnFirebase: boolean;
  readonly hasWebhook: boolean;
  /** The receiver answered 410. */
  readonly webhookIsDisabled: boolean;
  /** How many of the newest messages to the webhook failed, including those that will be retried. */
  readonly failing: number;
  /** How many of the newest messages were counted. */
  readonly seen: number;
}

/** Push figures of all apps that the caller administers. */
@Injectable()
export class PushOverview {
  /** Whether the installation has a Firebase account for apps without their own. */
  readonly sharedFirebase: boolean;

  constructor(
    @InjectRepository(PushUsage) private readonly usage: Repository<PushUsage>,
    @Inject(SETTINGS) { fcmServiceAccount }: Settings,
  ) {
    this.sharedFirebase = fcmServiceAccount !== null;
  }

  /** As {@link list}, without the total: nothing is counted over all apps. */
  async first(ctx: RequestContext, state: PushState, limit: number): Promise<PushOfApp[]> {
    const filter = { state, page: 1, limit, scope: administeredScope(ctx.actor), sharedFirebase: this.sharedFirebase };
    const { text, values } = pushOverviewQuery(filter);
    return this.usage.query<PushOfApp[]>(text, values);
  }

  /** Newest app first. */
  async list(
    ctx: RequestContext,
    filter: Omit<PushOverviewFilter, 'scope' | 'sharedFirebase'>,
  ): Promise<{ apps: PushOfApp[]; total: number }> {
    const full = { ...filter, scope: administeredScope(ctx.actor), sharedFirebase: this.sharedFirebase };
    const [page, count] = [pushOverviewQuery(full), pushOverviewCountQuery(full)];
    const [apps, [found]] = await Promise.all([
      this.usage.query<PushOfApp[]>(page.text, page.values),
      this.usage.query<{ count: number }[]>(count.text, count.values),
    ]);
    return { apps, total: found!.count };
  }
}
