import { getState } from 'jest-circus';

/** Where the errors of promises went that nobody had waited for yet. */
const pending = new WeakMap();

/** Errors that no test waits for fail the test that is running, or else the file. */
export function catchStrayErrors() {
  process.on('uncaughtException', (error, origin) => {
    if (origin === 'uncaughtException') errorsOfNow().push(error);
  });
  process.on('unhandledRejection', (error, promise) => {
    const errors = errorsOfNow();
    errors.push(error);
    pending.set(promise, { errors, error });
  });
  // A test may make a promise first and wait for it later.
  process.on('rejectionHandled', (promise) => {
    const { errors, error } = pending.get(promise) ?? {};
    if (errors?.includes(error)) errors.splice(errors.indexOf(error), 1);
  });
}

function errorsOfNow() {
  const { currentlyRunningTest, unhandledErrors } = getState();
  return currentlyRunningTest?.errors ?? unhandledErrors;
}
