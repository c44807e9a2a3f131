/**
 * Within the last hour, a deletion of the user `u` began to delete rows, or failed. Meanwhile the user gets no
 * notifications, and the periodic job leaves the account out. It tries again later.
 */
export const DELETION_BEGUN = `coalesce(u.deletion_tried_at > now() - interval '1 hour', false)`;
