/** The app is not there or not able just now, or asks for patience. */
const LATER: ReadonlySet<number> = new Set([408, 425, 429]);

/**
 * What an app's answer to a logout token means (Back-Channel Logout section 2.8): 2xx is done. Redirects are not
 * followed and 4xx is its last word: the same token again would be refused again.
 */
export function judgeLogoutAnswer(status: number): 'received' | 'refused' | 'again' {
  if (status >= 200 && status < 300) return 'received';
  return status >= 500 || LATER.has(status) ? 'again' : 'refused';
}
