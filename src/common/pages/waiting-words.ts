/** `90` → `2 minutes`, `7200` → `2 hours`. Rounded up: an earlier try would be refused again. */
export function waitInWords(seconds: number): string {
  const minutes = Math.max(1, Math.ceil(seconds / 60));
  if (minutes === 1) return 'a minute';
  return minutes < 90 ? `${minutes} minutes` : `${Math.ceil(minutes / 60)} hours`;
}

export function waitThenTryAgain(seconds: number): string {
  return `Wait ${waitInWords(seconds)}, then try again.`;
}

export function tooManyAttempts(retryAfterSeconds: number): string {
  return `Too many attempts. ${waitThenTryAgain(retryAfterSeconds)}`;
}
