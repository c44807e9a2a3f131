import { Injectable } from '@nestjs/common';
import type { RequestContext } from '../../../common/request-context.js';
import { type AppMemberView, appMemberView } from '../../../enrollment/members/app-member.view.js';
import { AppMembers } from '../../../enrollment/members/app-members.js';
import type { User } from '../../../users/user.entity.js';
import { type UserView, userView } from '../../../users/user.view.js';

/** How much of a user an answer contains: operators see the account, an app's server sees its own member only. */
@Injectable()
export class UserViews {
  constructor(private readonly members: AppMembers) {}

  /** Keeps the order. A service token gets no users who have left the app in the meantime. */
  async of({ actor }: RequestContext, users: readonly User[]): Promise<UserView[] | AppMemberView[]> {
    if (actor.type !== 'service') return users.map(userView);
    const ids = users.map(({ id }) => id);
    const enrollments = await this.members.among(actor.appId, ids);
    const byUser = new Map(enrollments.map((enrollment) => [enrollment.userId, enrollment]));
    return users.flatMap((user) => {
      const enrollment = byUser.get(user.id);
      return enrollment ? [appMemberView(user, enrollment)] : [];
    });
  }
}
