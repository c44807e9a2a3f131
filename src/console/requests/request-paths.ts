import type { RequestKey } from '../../enrollment/requests/request-cursor.js';
import type { Crumb } from '../frame/pages/navigation.js';
import { CONSOLE_PAGE_SIZE } from '../frame/lists/pager.js';

const QUEUE = '/console/requests';

/** Breadcrumb for pages below the queue. */
export const REQUESTS: Crumb = { label: 'Requests', href: QUEUE };

/** Parameters of the list. Forms contain them, so that they lead back to the same list. */
export interface QueueView {
  /** Only the requests to this app; empty or absent: all. */
  readonly app?: string;
  /** The typed search: only requests of matching users. */
  readonly q?: string;
}

export function queueUrl(
  { app, q }: QueueView,
  { after = null, limit = CONSOLE_PAGE_SIZE }: { after?: string | null; limit?: number } = {},
): string {
  const query = new URLSearchParams({
    ...(q ? { q } : {}),
    ...(app ? { app } : {}),
    ...(limit === CONSOLE_PAGE_SIZE ? {} : { per_page: String(limit) }),
    ...(after ? { after } : {}),
  }).toString();
  return query ? `${QUEUE}?${query}` : QUEUE;
}

export function decisionUrl({ appId, userId }: RequestKey, act: RequestAct): string {
  return `${QUEUE}/${appId}/${userId}/${act}`;
}

/** What can be done with a request. */
export type RequestAct = 'approve' | 'deny';

export function isRequestAct(name: unknown): name is RequestAct {
  return name === 'approve' || name === 'deny';
}
