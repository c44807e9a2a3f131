import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import type { App } from '../../../apps/app/app.entity.js';
import { readSorting } from '../../../common/lists/sorting.js';
import { Clock } from '../../../common/clock.js';
import { AppMembers } from '../../../enrollment/members/app-members.js';
import { USER_SORT_COLUMNS, type UserSorting } from '../../../enrollment/users/user-list.query.js';
import { VisibleUsers } from '../../../enrollment/users/visible-users.service.js';
import type { UserState } from '../../../enrollment/users/user-state.js';
import type { User } from '../../../users/user.entity.js';
import type { ConsoleRequest } from '../../frame/requests/console-request.js';
import { pagerOf, readChosenPage } from '../../frame/lists/pager.js';
import { sortableColumn } from '../../frame/lists/sortable-column.js';
import { column } from '../../frame/lists/table-column.js';
import { bulkForm } from '../../memberships/bulk-form.js';
import { MEMBER_STATES } from '../../memberships/member-states.js';
import { exportUrl } from '../../users/list/users-filter.rules.js';
import { AppPages } from '../page/app-pages.js';
import { appPath } from '../page/app-tabs.js';
import { searchText } from '../../../common/lists/search-text.js';
import { memberRow } from './member-rows.js';
import { optionsOf } from '../../frame/lists/form-values.js';

/** Texts in the column for the state. */
const STATES = {
  active: MEMBER_STATES.active.text,
  pending: MEMBER_STATES.pending.text,
  suspended: MEMBER_STATES.suspended.text,
  off: 'Account switched off',
} as const satisfies Partial<Record<UserState, string>>;
type ShownState = keyof typeof STATES;

/** The members of an app, with their filters. */
@Injectable()
export class MembersTab {
  constructor(
    private readonly visibleUsers: VisibleUsers,
    private readonly members: AppMembers,
    private readonly pages: AppPages,
    private readonly clock: Clock,
  ) {}

  async show(
    consoleRequest: ConsoleRequest,
    appId: string,
    query: Readonly<Record<string, unknown>>,
    request: Request,
    response: Response,
  ): Promise<void> {
    const app = await this.pages.governed(consoleRequest, appId);
    const search = searchText(query['q']);
    const state = shownState(query['status']);
    const page = readChosenPage(query);
    const sorting = readSorting(query['sort'], USER_SORT_COLUMNS);
    const filter = { appId: app.id, search, state, sorting, ...page };
    const [{ users, total, hasMore, isSortable, isCut }, waiting] = await Promise.all([
      this.visibleUsers.list(consoleRequest.ctx, filter),
      state === 'pending' ? 0 : this.countWaiting(consoleRequest, app),
    ]);
    const rows = await this.rowsOf(app, users);
    await this.pages.show(consoleRequest, response, app, {
      tab: 'members',
      model: {
        search,
        isCut,
        exportUrl:
          rows.length > 0
            ? exportUrl({ appId: app.id, ...(search ? { search } : {}), ...(state ? { state } : {}) })
            : null,
        states: optionsOf({ '': 'All states', ...STATES }, state),
        isFiltered: search !== '' || state !== undefined,
        waiting,
        waitingUrl: `${appPath(app, 'members')}?status=pending`,
        columns: columnsOf(isSortable ? request : null, sorting),
        members: rows,
        bulk: bulkForm(app.id, { search, state }, { from: 'members', total }),
        pager: pagerOf(request, { ...page, total, count: rows.length, hasMore }),
      },
    });
  }

  /** Leaves out users whose membership has ended in the meantime. */
  private async rowsOf(app: App, users: readonly User[]) {
    const ids = users.map((user) => user.id);
    const memberships = new Map((await this.members.among(app.id, ids)).map((each) => [each.userId, each]));
    return users.flatMap((user) => {
      const membership = memberships.get(user.id);
      return membership ? [memberRow(app, user, membership, this.clock.now())] : [];
    });
  }

  private async countWaiting({ ctx }: ConsoleRequest, app: App): Promise<number> {
    const { users, total } = await this.visibleUsers.list(ctx, { appId: app.id, state: 'pending', page: 1, limit: 1 });
    return total ?? users.length;
  }
}

function shownState(value: unknown): ShownState | undefined {
  return typeof value === 'string' && Object.hasOwn(STATES, value) ? (value as ShownState) : undefined;
}

function columnsOf(sortable: Request | null, sorting: UserSorting | null) {
  return [
    sortableColumn(sortable, sorting, 'name', 'User'),
    column('State'),
    column('Roles'),
    sortableColumn(sortable, sorting, 'last_sign_in', 'Last sign-in'),
    column('Actions'),
  ];
}
