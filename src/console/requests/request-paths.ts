import type { RequestKey } from '../../enrollment/request-place.js';
import type { Crumb } from '../frame/navigation.js';

const QUEUE = '/console/requests';

/** The crumb of pages below the queue. */
export const REQUESTS: Crumb = { label: 'Requests', href: QUEUE };

/** @param appId only the requests to this app; empty or absent: all */
export function queueUrl(appId: string | undefined, after: string | null = null): string {
  const query = new URLSearchParams({ ...(appId ? { app: appId } : {}), ...(after ? { after } : {}) }).toString();
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
