const swc = {
  swcrc: false,
  sourceMaps: 'inline',
  module: { type: 'es6' },
  jsc: {
    target: 'es2023',
    keepClassNames: true,
    parser: { syntax: 'typescript', decorators: true },
    transform: { legacyDecorator: true, decoratorMetadata: true, useDefineForClassFields: false },
  },
};

/** One project per folder; those that need servers share one set-up, which jest then runs once. */
function project(name, more = {}) {
  return {
    displayName: name,
    rootDir: import.meta.dirname,
    testMatch: [`<rootDir>/test/${name}/**/*.spec.ts`],
    testEnvironment: 'node',
    extensionsToTreatAsEsm: ['.ts'],
    moduleNameMapper: {
      '^(\\.{1,2}/.*)\\.js$': '$1',
      '^@nestjs/throttler$': '<rootDir>/test/support/throttler-for-jest.js',
      '^@nestjs-modules/mailer$': '<rootDir>/test/support/mailer-for-jest.js',
    },
    modulePathIgnorePatterns: ['<rootDir>/dist/', '<rootDir>/.data/'],
    transform: { '^.+\\.ts$': ['@swc/jest', swc] },
    ...more,
  };
}

const servers = {
  globalSetup: '<rootDir>/test/support/global-setup.js',
  globalTeardown: '<rootDir>/test/support/global-teardown.js',
  setupFilesAfterEnv: ['<rootDir>/test/support/patience.ts'],
};

const CONFORMANCE = '<rootDir>/test/e2e/conformance/';

export default {
  // Under ESM a worker keeps the modules of every file it has run: after a hundred files it does little but collect.
  workerIdleMemoryLimit: '1GB',
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
