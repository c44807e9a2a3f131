import { timeInWords } from '../../common/pages/time-in-words.js';
import type { WaitingRequest } from '../../enrollment/requests/request-queue.repository.js';
import { decisionUrl } from './request-paths.js';

/** Length at which a message is folded. */
const LONG = 240;

/** A row of the queue. */
export function requestRow(request: WaitingRequest, now: Date) {
  const { userId, appId, displayName, email, emailVerified, isActive } = request;
  return {
    pick: `pick:${userId}:${appId}`,
    name: displayName,
    email,
    isUnverified: !emailVerified,
    isOff: !isActive,
    memberUrl: `/console/apps/${appId}/members/${userId}`,
    appName: request.appName,
    appUrl: `/console/apps/${appId}`,
    tenantName: request.tenantName,
    message: request.message,
    excerpt: excerptOf(request.message),
    asked: timeInWords(request.askedAt, now),
    approveUrl: decisionUrl(request, 'approve'),
    denyUrl: decisionUrl(request, 'deny'),
  };
}

/** The beginning of a long message; null for a short one. */
function excerptOf(message: string | null): string | null {
  const letters = [...(message ?? '')];
  return letters.length > LONG ? `${letters.slice(0, LONG / 2).join('')}…` : null;
}
