/** Digits of an id that number the notifications of a batch: 4,096, more than a request can have. */
const DIGITS = 3;
const HEX = 16;

/** The batch of a notification, if it was sent in one. */
export function batchIdOf(notificationId: string): string {
  return notificationId.slice(0, -DIGITS) + '0'.repeat(DIGITS);
}

/** From 0. */
export function indexInBatch(notificationId: string): number {
  return Number.parseInt(notificationId.slice(-DIGITS), HEX);
}

/** Ids of the notifications of a batch, in order; the first is that of the batch. */
export function idsInBatch(batchId: string, count: number): string[] {
  const start = batchId.slice(0, -DIGITS);
  return Array.from({ length: count }, (_, index) => start + index.toString(HEX).padStart(DIGITS, '0'));
}
