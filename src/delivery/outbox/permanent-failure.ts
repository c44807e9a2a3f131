/** Thrown by a handler if a retry cannot help: the job becomes a dead letter at once. */
export class PermanentFailure extends Error {
  override readonly name = 'PermanentFailure';
}
