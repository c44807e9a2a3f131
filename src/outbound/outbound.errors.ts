/** The service will not call this address; nothing was sent. */
export class TargetRefused extends Error {
  override readonly name = 'TargetRefused';
}

/** The answer is larger than allowed. */
export class AnswerTooLarge extends Error {
  override readonly name = 'AnswerTooLarge';

  /** @param maxBytes the limit */
  constructor(maxBytes: number) {
    super(`The answer is longer than ${maxBytes / 1024} KiB`);
  }
}

/** The answer took too long. The request may have been received. */
export class NoAnswerInTime extends Error {
  override readonly name = 'NoAnswerInTime';

  /** @param milliseconds the limit */
  constructor(milliseconds: number) {
    super(`No answer in ${milliseconds / 1000} s`);
  }
}
