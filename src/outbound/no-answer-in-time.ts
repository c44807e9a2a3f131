/** The answer took too long. The request may have been received. */
export class NoAnswerInTime extends Error {
  override readonly name = 'NoAnswerInTime';

  /** @param milliseconds the limit */
  constructor(milliseconds: number) {
    super(`No answer in ${milliseconds / 1000} s`);
  }
}
