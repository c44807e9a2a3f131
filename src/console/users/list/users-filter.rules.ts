import { isUserState, type UserState } from '../../../enrollment/users/user-state.js';

export interface UsersFilter {
  /** Part of the address. */
  readonly search?: string;
  readonly appId?: string;
  readonly state?: UserState;
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const LONGEST = 254;

/** From a query or a form; what cannot be read is as good as absent. */
export function filterOf({ q, app, status }: Readonly<Record<string, unknown>>): UsersFilter {
  const search = typeof q === 'string' ? q.replaceAll('\0', '').trim().slice(0, LONGEST) : '';
  return {
    ...(search === '' ? {} : { search }),
    ...(typeof app === 'string' && UUID.test(app) ? { appId: app.toLowerCase() } : {}),
    ...(isUserState(status) ? { state: status } : {}),
  };
}

export function usersUrl(filter: UsersFilter, place: Readonly<Record<string, string>> = {}): string {
  return urlOf('/console/users', filter, place);
}

/** All users of the list, of all of its pages, as a file. */
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
