/** The answer is larger than allowed. */
export class AnswerTooLarge extends Error {
  override readonly name = 'AnswerTooLarge';

  /** @param maxBytes the limit */
  constructor(maxBytes: number) {
    super(`The answer is longer than ${maxBytes / 1024} KiB`);
  }
}
