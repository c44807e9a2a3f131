/**
 * Brings due rows to somebody who runs them. Only a hint travels, the row in PostgreSQL is the truth: a waker may
 * lose, repeat and reorder.
 */
export abstract class Waker {
  /** Right after the commit that wrote these rows. Returns at once and never throws. */
  abstract announce(ids: readonly string[]): void;

  /** Finds what is due and was not, or not successfully, announced. Ends when what it started has ended. */
  abstract sweep(): Promise<void>;
}
