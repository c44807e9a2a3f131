import { Injectable } from '@nestjs/common';
import type { RequestContext } from '../../../common/request-context.js';
import { VisibleUsers, userScope } from '../../../enrollment/users/visible-users.service.js';
import { LinkedAccountsService } from '../../../auth/providers/linked/linked-accounts.service.js';
import { SsoSessionsService } from '../../../auth/session/sso-sessions.service.js';
import { PushDevicesService } from '../../../push/devices/push-devices.service.js';
import { UserMemberships } from './user-memberships.js';
import type { UserInDetail } from './user-detail.view.js';

/** Details of one user, as far as the caller may see them. */
@Injectable()
export class UserDetailsService {
  constructor(
    private readonly visibleUsers: VisibleUsers,
    private readonly memberships: UserMemberships,
    private readonly sessions: SsoSessionsService,
    private readonly linked: LinkedAccountsService,
    private readonly devices: PushDevicesService,
  ) {}

  /** @throws UserNotFound also for a user outside the caller's authority */
  async detail(ctx: RequestContext, userId: string): Promise<UserInDetail> {
    const user = await this.visibleUsers.getVisible(ctx, userId);
    const scope = userScope(ctx.actor);
    const [{ enrollments, tenantNames }, sessions, linkedAccounts, devices] = await Promise.all([
      this.memberships.list(userId, scope),
      scope.everything ? this.sessions.listLive(userId) : [],
      // A tenant must not learn which other apps a user belongs to.
      scope.everything ? this.linked.listOf(userId) : [],
      this.devices.listOfUser(userId),
    ]);
    const appIds = new Set(enrollments.map(({ enrollment }) => enrollment.appId));
    return {
      user,
      enrollments,
      tenantNames,
      sessions,
      linkedAccounts,
      devices: devices.filter(({ appId }) => scope.everything || appIds.has(appId)),
    };
  }
}
