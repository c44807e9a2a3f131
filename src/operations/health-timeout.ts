/** Maximum duration of each readiness check. */
export const HEALTH_TIMEOUT_MS = 1_000;
