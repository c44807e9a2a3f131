import asyncHooks from 'node:async_hooks';

/**
 * For circus, which keeps in an `AsyncLocalStorage` to which test a snapshot or a stray error belongs. There are no
 * snapshots here, and `stray-errors.js` knows the test that is running. While such a storage is in use, Node 20 calls
 * into JavaScript for every promise of the process, which took a tenth of the CPU of a run.
 */
class NoStorage {
  getStore() {
    return undefined;
  }

  run(_store, callback) {
    return callback();
  }
}

/** Only circus gets it: it looks for the class once, when it is loaded. */
export async function loadCircus() {
  const own = Object.getOwnPropertyDescriptor(asyncHooks, 'AsyncLocalStorage');
  Object.defineProperty(asyncHooks, 'AsyncLocalStorage', { value: NoStorage, configurable: true });
  try {
    await import('jest-circus');
  } finally {
    Object.defineProperty(asyncHooks, 'AsyncLocalStorage', own);
  }
}
