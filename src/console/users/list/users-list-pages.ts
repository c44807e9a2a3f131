import { Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { Clock } from '../../../common/clock.js';
import { timeInWords } from '../../../common/pages/time-in-words.js';
import type { UserSorting } from '../../../enrollment/users/user-list.query.js';
import type { UsersPage } from '../../../enrollment/users/visible-users.repository.js';
import type { User } from '../../../users/user.entity.js';
import type { UserState } from '../../../enrollment/users/user-state.js';
import { type ChosenPage, CONSOLE_PAGE_SIZE, pagerOf } from '../../frame/lists/pager.js';
import { sortableColumn } from '../../frame/lists/sortable-column.js';
import { column } from '../../frame/lists/table-column.js';
import { appChoices, type AppSelection } from '../../frame/requests/own-apps.js';
import { bulkForm } from '../../memberships/bulk-form.js';
import { badgesOf } from '../page/user-badges.js';
import { exportUrl, type UsersFilter, usersUrl } from './users-filter.rules.js';
import type { UserFacts } from './user-facts.js';

/** States of an enrollment first, then those of the account, with the texts of their badges. */
const STATES: readonly { readonly value: UserState | ''; readonly label: string }[] = [
  { value: '', label: 'Any state' },
  { value: 'active', label: 'Active in an app' },
  { value: 'pending', label: 'Waiting for approval' },
  { value: 'suspended', label: 'Suspended in an app' },
  { value: 'off', label: 'Account switched off' },
  { value: 'platform_admin', label: 'Platform admin' },
  { value: 'verified', label: 'Verified' },
  { value: 'unverified', label: 'Not verified' },
  { value: 'second_factor', label: 'Second factor' },
  { value: 'no_password', label: 'No password' },
];

/** Model of the list of users. */
@Injectable()
export class UsersListPages {
  constructor(private readonly clock: Clock) {}

  model({
    filter,
    sorting,
    page: { page, limit },
    found,
    facts,
    selection,
    request,
  }: {
    readonly filter: UsersFilter;
    readonly sorting: UserSorting | null;
    readonly page: ChosenPage;
    readonly found: UsersPage;
    readonly facts: UserFacts;
    readonly selection: AppSelection;
    readonly request: Pick<Request, 'originalUrl'>;
  }): Record<string, unknown> {
    const { users, total, next, hasMore, isSortable, isCut } = found;
    const sortable = isSortable ? request : null;
    const { apps } = selection;
    const app = apps.find(({ id }) => id === filter.appId) ?? null;
    const pager = pagerOf(request, { page, limit, total, count: users.length, hasMore });
    return {
      columns: [
        sortableColumn(sortable, sorting, 'name', 'Name and address'),
        column('State'),
        column('Apps', { className: 'col-extra' }),
        column('Second factor', { className: 'col-extra' }),
        sortableColumn(sortable, sorting, 'last_sign_in', 'Last sign-in'),
        sortableColumn(sortable, sorting, 'created', 'Since', { className: 'col-extra' }),
      ],
      exportUrl: users.length > 0 ? exportUrl(filter) : null,
      q: filter.search ?? '',
      isCut,
      app: filter.appId ?? '',
      bulk: app && bulkForm(app.id, filter, { from: 'users', total }),
      isFiltered: Object.keys(filter).length > 0,
      apps: appChoices(apps, filter.appId, 'All apps'),
      appSearch: selection.search,
      isSearchable: selection.isSearchable,
      states: STATES.map((state) => ({ ...state, isChosen: state.value === (filter.state ?? '') })),
      users: users.map((user) => userRow(user, facts, this.clock.now())),
      pager: sorting && isSortable ? pager : { ...pager, ...urlsByCursor(filter, { page, limit }, next) },
    };
  }
}

/** A page begins where the previous one ended; a page further back is found by its number. */
function urlsByCursor(filter: UsersFilter, { page, limit }: ChosenPage, next: UsersPage['next']) {
  const size: Record<string, string> = limit === CONSOLE_PAGE_SIZE ? {} : { per_page: String(limit) };
  return {
    previousUrl: page > 1 ? usersUrl(filter, { ...size, ...(page > 2 ? { page: String(page - 1) } : {}) }) : null,
    nextUrl: next && usersUrl(filter, { ...size, page: String(page + 1), cursor: next }),
  };
}

function userRow(user: User, facts: UserFacts, now: Date) {
  const { id, displayName: name, email, lastLoginAt, createdAt } = user;
  return {
    ...{ id, name, email },
    // The second factor has a separate column, and an account without a password is not unusual.
    badges: badgesOf({ ...user, totpEnabledAt: null, passwordHash: '' }),
    ...facts.of(user),
    lastLogin: lastLoginAt && timeInWords(lastLoginAt, now),
    since: timeInWords(createdAt, now),
  };
}
