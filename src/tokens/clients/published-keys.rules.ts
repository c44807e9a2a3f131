/** Seconds for which fetched keys are used, so that a removed key stops soon. */
const FRESH_SECONDS = 600;
/** Seconds for which they are used while their URL does not answer. */
const USABLE_SECONDS = 3_600;
/** Seconds between two requests to a URL that answers, for keys that it did not contain. */
const PAUSE_SECONDS = 60;
/** Seconds between two requests to a URL that does not answer. */
const PAUSE_AFTER_FAILURE_SECONDS = 10;

/** When a URL was last requested, and when it last answered, in Unix seconds. */
export interface FetchTimes {
  readonly fetchedAt: number;
  /** Null: never. */
  readonly answeredAt: number | null;
}

/**
 * Whether the URL is requested again.
 * @param hasKey whether one of the cached keys may have made the signature
 */
export function isDue({ fetchedAt, answeredAt }: FetchTimes, hasKey: boolean, now: number): boolean {
  const pause = fetchedAt === answeredAt ? PAUSE_SECONDS : PAUSE_AFTER_FAILURE_SECONDS;
  if (now - fetchedAt < pause) return false;
  return !hasKey || answeredAt === null || now - answeredAt >= FRESH_SECONDS;
}

/** Whether cached keys can still be used. */
export function areUsable({ answeredAt }: FetchTimes, now: number): boolean {
  return answeredAt !== null && now - answeredAt < USABLE_SECONDS;
}
