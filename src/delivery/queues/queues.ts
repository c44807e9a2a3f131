/**
 * The queues: one for each kind of work, so that no kind waits for another. `notices`: mails for which no user waits.
 * `logos`: downloads from foreign servers.
 */
export const QUEUES = ['mail', 'notices', 'push', 'webhooks', 'logout', 'tasks', 'logos'] as const;
export type QueueName = (typeof QUEUES)[number];

export interface QueueConcurrency {
  /** Maximum number of concurrent jobs of one group in a process, while no other group has work. */
  readonly perGroup: number;
  /** Maximum number of concurrent jobs in a process: more than of one group, so that no group ever takes all slots. */
  readonly total: number;
}

/** Jobs of `logout` and `logos` may wait for slow servers, so these queues have many slots for many groups. */
export const QUEUE_CONCURRENCY: Readonly<Record<QueueName, QueueConcurrency>> = {
  mail: { perGroup: 5, total: 6 },
  // Fewer than connections to the mail server, so that a mail for which a user waits always finds one.
  notices: { perGroup: 2, total: 3 },
  push: { perGroup: 5, total: 6 },
  webhooks: { perGroup: 5, total: 6 },
  logout: { perGroup: 5, total: 64 },
  tasks: { perGroup: 5, total: 8 },
  logos: { perGroup: 1, total: 8 },
};

/** Group of jobs of the service itself, without a tenant. */
export const PLATFORM_GROUP = '';

/** Identifies a row of the outbox for the processes that consume its queue. */
export interface QueuedRow {
  readonly queue: QueueName;
  readonly id: string;
  readonly group: string;
}
