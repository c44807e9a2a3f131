/** The other side sent more than is read of it. */
export class AnswerTooLarge extends Error {
  override readonly name = 'AnswerTooLarge';

  /** @param maxBytes that it may have sent */
  constructor(maxBytes: number) {
    super(`The answer is longer than ${maxBytes / 1024} KiB`);
  }
}
