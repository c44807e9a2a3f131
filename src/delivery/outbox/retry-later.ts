/** Thrown by a handler that knows when to retry: the receiver named a time, or the job has its own schedule. */
export class RetryLater extends Error {
  override readonly name = 'RetryLater';

  constructor(
    readonly seconds: number,
    reason = 'asked to come back later',
  ) {
    super(reason);
  }
}
