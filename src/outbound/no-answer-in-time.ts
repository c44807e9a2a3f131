/** The other side took longer than it may. What was sent may have been received. */
export class NoAnswerInTime extends Error {
  override readonly name = 'NoAnswerInTime';

  /** @param milliseconds that it had */
  constructor(milliseconds: number) {
    super(`No answer in ${milliseconds / 1000} s`);
  }
}
