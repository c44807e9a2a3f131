/**
 * The queues: one for each kind of work, so that no kind waits for another. `notices`: mails that no one waits for. `logos`: what is
 * fetched from servers of strangers.
 */
export const QUEUES = ['mail', 'notices', 'push', 'webhooks', 'logout', 'tasks', 'logos'] as const;
export type QueueName = (typeof QUEUES)[number];

export interface QueuePlaces {
  /** Jobs of one group that one process runs at a time, while no other group has work. */
  readonly perGroup: number;
  /** Jobs that one process runs at a time: more than of one group, so that no group ever has all places. */
  readonly total: number;
}

/** A job of `logout` and `logos` may wait for a slow server, hence many places for many groups. */
export const PLACES: Readonly<Record<QueueName, QueuePlaces>> = {
  mail: { perGroup: 5, total: 6 },
  // Fewer than there are connections to the mail server: a mail that someone waits for always finds one.
  notices: { perGroup: 2, total: 3 },
  push: { perGroup: 5, total: 6 },
  webhooks: { perGroup: 5, total: 6 },
  logout: { perGroup: 5, total: 64 },
  tasks: { perGroup: 5, total: 8 },
  logos: { perGroup: 1, total: 8 },
};

/** What the service itself queues, for no tenant. */
export const PLATFORM_GROUP = '';

/** Names a row of the outbox to the processes that consume its queue. */
export interface QueuedRow {
  readonly queue: QueueName;
  readonly id: string;
  readonly group: string;
}
