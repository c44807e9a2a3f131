/** Statuses of an app that is temporarily unavailable or asks to wait. */
const LATER: ReadonlySet<number> = new Set([408, 425, 429]);

/**
 * The meaning of an app's answer to a logout token (Back-Channel Logout section 2.8): 2xx means done. Redirects are not
 * followed, and 4xx is final: the same token would be refused again.
 */
export function judgeLogoutAnswer(status: number): 'received' | 'refused' | 'again' {
  if (status >= 200 && status < 300) return 'received';
  return status >= 500 || LATER.has(status) ? 'again' : 'refused';
}
