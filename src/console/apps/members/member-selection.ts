import { Injectable } from '@nestjs/common';
import { readCursor } from '../../../common/lists/page-cursor.js';
import { AppMembers } from '../../../enrollment/members/app-members.js';
import type { EnrollmentStatus } from '../../../enrollment/enrollments/enrollment.entity.js';
import { isAccountState } from '../../../enrollment/users/user-state.js';
import { VisibleUsers } from '../../../enrollment/users/visible-users.service.js';
import type { ConsoleRequest } from '../../frame/requests/console-request.js';
import type { MemberFilter } from '../../memberships/bulk-form.js';

/** The largest number of members in one task. */
export const MAX_MEMBERS = 5_000;
const PAGE = 500;

/**
 * The members for an action on several of them. The selection is fixed before the action, so it does not include
 * members who are added later.
 */
@Injectable()
export class MemberSelection {
  constructor(
    private readonly visibleUsers: VisibleUsers,
    private readonly members: AppMembers,
  ) {}

  /** Whether any of these users has an unverified address. */
  async holdsUnverified({ ctx }: ConsoleRequest, userIds: readonly string[]): Promise<boolean> {
    return (await this.visibleUsers.listVisible(ctx, userIds)).some(({ emailVerified }) => !emailVerified);
  }

  /** The selected users who are members of the app. */
  async ticked(appId: string, userIds: readonly string[]): Promise<string[]> {
    const found = new Set((await this.members.among(appId, userIds)).map(({ userId }) => userId));
    return userIds.filter((userId) => found.has(userId));
  }

  /**
   * All matching members in the state to which the action applies, newest first. The database selects by both states, so
   * only chosen members are read, and those that a search compares in parts.
   * @param state of the members; null for all states
   * @returns null if there are more than {@link MAX_MEMBERS}
   */
  async all(
    { ctx }: ConsoleRequest,
    appId: string,
    filter: MemberFilter,
    state: EnrollmentStatus | null,
  ): Promise<string[] | null> {
    if (contradicts(filter.state, state)) return [];
    const chosen: string[] = [];
    for (let cursor: string | null = null, page = 1; ; page++) {
      const at = { page, limit: PAGE, cursor: cursor === null ? null : readCursor(cursor) };
      const asked = { ...filter, ...(state && { membership: state }), appId, ...at };
      const { users, next } = await this.visibleUsers.list(ctx, asked);
      chosen.push(...users.map(({ id }) => id));
      if (chosen.length > MAX_MEMBERS) return null;
      if (next === null) return chosen;
      cursor = next;
    }
  }
}

/** Whether no membership can be in both states. */
function contradicts(filtered: MemberFilter['state'], state: EnrollmentStatus | null): boolean {
  return filtered !== undefined && !isAccountState(filtered) && state !== null && filtered !== state;
}
