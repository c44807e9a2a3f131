/** So long each check of the readiness may take. */
export const HEALTH_TIMEOUT_MS = 1_000;
