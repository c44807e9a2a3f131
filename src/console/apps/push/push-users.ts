import { Injectable } from '@nestjs/common';
import type { RequestContext } from '../../../common/request-context.js';
import { type AppMember, AppMembers } from '../../../enrollment/members/app-members.js';
import { VisibleUsers } from '../../../enrollment/users/visible-users.service.js';

/** By user id, without users who have left the app. */
export type PushUsers = ReadonlyMap<string, Pick<AppMember, 'displayName' | 'email'>>;

/** The users of an app's devices and notifications. */
@Injectable()
export class PushUsersReader {
  constructor(
    private readonly members: AppMembers,
    private readonly visibleUsers: VisibleUsers,
  ) {}

  /** The users of these rows. */
  async of(appId: string, rows: readonly { readonly userId: string }[]): Promise<PushUsers> {
    const found = await this.members.listAmong(appId, [...new Set(rows.map(({ userId }) => userId))]);
    return new Map(found.map((member) => [member.userId, member]));
  }

  /** The users that match a search; no filter for an empty search. */
  async find(ctx: RequestContext, appId: string, search: string): Promise<{ userIds?: string[]; isCut: boolean }> {
    if (search === '') return { isCut: false };
    const { users, isCut } = await this.visibleUsers.find(ctx, search, appId);
    return { userIds: users.map(({ id }) => id), isCut };
  }
}
