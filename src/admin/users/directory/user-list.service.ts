import { Injectable } from '@nestjs/common';
import { AppsService } from '../../../apps/directory/apps.service.js';
import { type Actor, authorityOf, canAdministerApp } from '../../../common/actor.js';
import { InsufficientPermissions } from '../../../common/http/http.refusals.js';
import type { RequestContext } from '../../../common/request-context.js';
import type { UserFilter } from '../../../enrollment/users/user-list.query.js';
import type { UsersPage } from '../../../enrollment/users/visible-users.repository.js';
import { VisibleUsers } from '../../../enrollment/users/visible-users.service.js';

/** The users that a caller may see. */
@Injectable()
export class UserListService {
  constructor(
    private readonly visibleUsers: VisibleUsers,
    private readonly apps: AppsService,
  ) {}

  /** @throws InsufficientPermissions for a foreign `appId` */
  async list(ctx: RequestContext, filter: Omit<UserFilter, 'scope'>): Promise<UsersPage> {
    if (filter.appId) await this.checkApp(ctx, filter.appId);
    return this.visibleUsers.list(ctx, filter);
  }

  /** @throws InsufficientPermissions for a foreign app */
  async checkApp(ctx: RequestContext, appId: string): Promise<void> {
    if (!(await this.mayList(ctx.actor, appId))) throw new InsufficientPermissions();
  }

  private async mayList(actor: Actor, appId: string): Promise<boolean> {
    if (actor.type === 'service') return actor.appId === appId;
    if (authorityOf(actor).platform) return true;
    const app = await this.apps.find(appId);
    return app !== null && canAdministerApp(actor, app);
  }
}
