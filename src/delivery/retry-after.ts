/** Thrown by a handler that knows when to try again: the other side said so, or the job has a schedule of its own. */
export class RetryAfter extends Error {
  override readonly name = 'RetryAfter';

  constructor(
    readonly seconds: number,
    reason = 'asked to come back later',
  ) {
    super(reason);
  }
}
