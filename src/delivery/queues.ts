/** The queues: one for each kind of work, so that no kind waits for another. `notices`: mails to many, which no one waits for. */
export const QUEUES = ['mail', 'notices', 'push', 'webhooks', 'logout', 'tasks'] as const;
export type QueueName = (typeof QUEUES)[number];

/** Names a row of the outbox to the processes that consume its queue. */
export interface QueuedRow {
  readonly queue: QueueName;
  readonly id: string;
}
