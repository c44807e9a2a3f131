import type { RequestKey } from '../../enrollment/request-place.js';
import type { Crumb } from '../frame/navigation.js';
import { CONSOLE_PAGE_SIZE } from '../frame/pager.js';

const QUEUE = '/console/requests';

/** The crumb of pages below the queue. */
export const REQUESTS: Crumb = { label: 'Requests', href: QUEUE };

/** @param appId only the requests to this app; empty or absent: all */
export function queueUrl(
  appId: string | undefined,
  { after = null, limit = CONSOLE_PAGE_SIZE }: { after?: string | null; limit?: number } = {},
): string {
  const query = new URLSearchParams({
    ...(appId ? { app: appId } : {}),
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
