/** Scheduled, due or running. */
export const PENDING = 'done_at IS NULL AND dead_at IS NULL';
/** No process runs the job. */
export const UNLOCKED = '(locked_until IS NULL OR locked_until < now())';
/** By the database's clock. */
export const DUE = `${PENDING} AND available_at <= now() AND ${UNLOCKED}`;
