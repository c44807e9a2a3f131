import { isUserState, type UserState } from '../../../enrollment/users/user-state.js';
import { isUuid } from '../../../common/validation/fields.js';
import { searchText } from '../../../common/lists/search-text.js';

export interface UsersFilter {
  /** Part of the name or address, or the beginning of an id. */
  readonly search?: string;
  readonly appId?: string;
  readonly state?: UserState;
}

const MAX_ADDRESS_LENGTH = 254;

/** Reads a query or a form; invalid values count as absent. */
export function filterOf({ q, app, status }: Readonly<Record<string, unknown>>): UsersFilter {
  const search = searchText(q, MAX_ADDRESS_LENGTH);
  return {
    ...(search === '' ? {} : { search }),
    ...(isUuid(app) ? { appId: app.toLowerCase() } : {}),
    ...(isUserState(status) ? { state: status } : {}),
  };
}

export function usersUrl(filter: UsersFilter, place: Readonly<Record<string, string>> = {}): string {
  return urlOf('/console/users', filter, place);
}

/** URL of the export of the whole list. */
export function exportUrl(filter: UsersFilter): string {
  return urlOf('/console/users/export', filter, {});
}

function urlOf(path: string, { search, appId, state }: UsersFilter, place: Readonly<Record<string, string>>): string {
  const parameters = new URLSearchParams({
    ...(search ? { q: search } : {}),
    ...(appId ? { app: appId } : {}),
    ...(state ? { status: state } : {}),
    ...place,
  }).toString();
  return parameters ? `${path}?${parameters}` : path;
}
