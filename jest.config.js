import { totalmem } from 'node:os';

const GB = 2 ** 30;

/** One project per folder; those that need servers share one set-up, which jest then runs once. */
function project(name, more = {}) {
  return {
    displayName: name,
    rootDir: import.meta.dirname,
    testMatch: [`<rootDir>/test/${name}/**/*.spec.ts`],
    runner: '<rootDir>/test/support/runner/runner.js',
    modulePathIgnorePatterns: ['<rootDir>/dist/', '<rootDir>/.data/'],
    transform: {},
    testTimeout: 20_000,
    ...more,
  };
}

const servers = {
  globalSetup: '<rootDir>/test/support/global-setup.js',
  globalTeardown: '<rootDir>/test/support/global-teardown.js',
  // Real servers on two busy cores: slow is not wrong, only stuck is.
  testTimeout: 120_000,
};

const CONFORMANCE = '<rootDir>/test/e2e/conformance/';

export default {
  // A process keeps what the files that it has run hold in their modules; beyond this it is replaced by a fresh one, which has to
  // load the service again. There are four of them.
  workerIdleMemoryLimit: Math.min(2 * GB, Math.max(GB, totalmem() / 10)),
  testSequencer: '<rootDir>/test/support/runner/sequencer.js',
  reporters: ['default', '<rootDir>/test/support/closing-line-reporter.js'],
  projects: [
    project('unit'),
    project('db', servers),
    project('e2e', { ...servers, testPathIgnorePatterns: [CONFORMANCE] }),
    // The OpenID Foundation's test plans: many small files, which share one process of the service.
    project('conformance', {
      ...servers,
      testMatch: [`${CONFORMANCE}**/*.spec.ts`],
      globalSetup: '<rootDir>/test/support/conformance-setup.js',
      globalTeardown: '<rootDir>/test/support/conformance-teardown.js',
    }),
    project('browser', { ...servers, globalSetup: '<rootDir>/test/support/browser-setup.js' }),
  ],
};
