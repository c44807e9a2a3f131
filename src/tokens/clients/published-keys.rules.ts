/** Seconds for which keys are taken as they were published, so that a key that was taken back stops soon. */
const FRESH_SECONDS = 600;
/** And for which they are still taken while their address does not answer. */
const USABLE_SECONDS = 3_600;
/** Between two requests to an address that answers, for keys that it did not have. */
const PAUSE_SECONDS = 60;
/** Between two requests to an address that does not answer. */
const PAUSE_AFTER_FAILURE_SECONDS = 10;

/** When an address was last asked, and when it last answered. Unix seconds. */
export interface Published {
  readonly askedAt: number;
  /** Null: never. */
  readonly answeredAt: number | null;
}

/**
 * Whether the address is asked again.
 * @param hasKey one of the remembered keys may have signed what was presented
 */
export function isDue({ askedAt, answeredAt }: Published, hasKey: boolean, now: number): boolean {
  const pause = askedAt === answeredAt ? PAUSE_SECONDS : PAUSE_AFTER_FAILURE_SECONDS;
  if (now - askedAt < pause) return false;
  return !hasKey || answeredAt === null || now - answeredAt >= FRESH_SECONDS;
}

/** Whether remembered keys still count. */
export function areUsable({ answeredAt }: Published, now: number): boolean {
  return answeredAt !== null && now - answeredAt < USABLE_SECONDS;
}
