import { jestExpect } from '@jest/expect';
import { getState } from 'jest-circus';

/** What `@jest/globals` is for a test file; of `jest` itself there is no more than the tests need. */
export { afterAll, afterEach, beforeAll, beforeEach, describe, it, test } from 'jest-circus';
export const expect = jestExpect;
export const jest = {
  /** For the tests of this file. */
  setTimeout(milliseconds) {
    getState().testTimeout = milliseconds;
  },
};
