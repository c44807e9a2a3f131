import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { App } from '../../apps/app.entity.js';
import { AppsService } from '../../apps/apps.service.js';
import { governsTenant } from '../../common/actor.js';
import { InsufficientPermissions } from '../../common/http/http.refusals.js';
import type { RequestContext } from '../../common/request-context.js';
import { PeopleService } from '../../enrollment/people.service.js';
import type { User } from '../../users/user.entity.js';

/** Whether a caller may deal with this person in this app: asked first by every use case on enrollments. */
@Injectable()
export class PeopleAccess {
  constructor(
    private readonly apps: AppsService,
    private readonly people: PeopleService,
  ) {}

  /**
   * Enrollment in a Console app is authority over the tenant, so only whoever governs the tenant deals with it.
   * @throws AppNotFound (platform admins only learn that), InsufficientPermissions
   */
  async app(ctx: RequestContext, appId: string, tx?: EntityManager): Promise<App> {
    const app = await this.apps.getGoverned(ctx, appId, tx);
    if (app.isConsoleApp && !governsTenant(ctx.actor, app.tenantId)) throw new InsufficientPermissions();
    return app;
  }

  /** @throws as {@link app}, and UserNotFound also for somebody outside the caller's authority */
  async member(
    ctx: RequestContext,
    userId: string,
    appId: string,
    tx?: EntityManager,
  ): Promise<{ app: App; user: User }> {
    const app = await this.app(ctx, appId, tx);
    return { app, user: await this.people.getVisible(ctx, userId, tx) };
  }
}
