import { Injectable } from '@nestjs/common';
import { MemberAccess } from '../../../admin/users/memberships/member-access.service.js';
import type { App } from '../../../apps/app/app.entity.js';
import { EnrollmentNotFound } from '../../../enrollment/enrollments/enrollment.errors.js';
import type { User } from '../../../users/user.entity.js';
import type { ConsoleRequest } from '../../frame/requests/console-request.js';
import { UserPages } from '../page/user-pages.js';

export interface FoundMembership {
  readonly app: App;
  readonly user: User;
  /** The user's roles in the app. */
  readonly roles: readonly string[];
}

/** A user's membership in an app, as shown below the user's page. */
@Injectable()
export class UserMembership {
  constructor(
    private readonly access: MemberAccess,
    private readonly userPages: UserPages,
  ) {}

  /** @throws AppNotFound, InsufficientPermissions, UserNotFound, EnrollmentNotFound */
  async find(consoleRequest: ConsoleRequest, id: string, appId: string): Promise<FoundMembership> {
    const { app, user } = await this.member(consoleRequest, id, appId);
    const { enrollments } = await this.userPages.find(consoleRequest, id);
    const membership = enrollments.find(({ enrollment }) => enrollment.appId === appId.toLowerCase());
    if (!membership) throw new EnrollmentNotFound();
    return { app, user, roles: membership.enrollment.roles };
  }

  /** The app and the user, member or not. @throws AppNotFound, InsufficientPermissions, UserNotFound */
  member({ ctx }: ConsoleRequest, id: string, appId: string): Promise<{ app: App; user: User }> {
    return this.access.member(ctx, id, appId);
  }
}
