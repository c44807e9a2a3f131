// Controls of the console's page of signing keys; see scripts/sabotage.mjs.
const FILE = 'src/console/keys/keys.controller.ts';
const TESTS = ['test/e2e/console/keys.spec.ts'];

export default [
  {
    item: 58,
    control: 'console-keys: only platform admins rotate',
    file: FILE,
    out: "@Post('rotate')\n  @ConsolePage('platform_admin', { recentSignIn: 'always' })",
    into: "@Post('rotate')\n  @ConsolePage('app_manager', { recentSignIn: 'always' })",
    tests: TESTS,
  },
  {
    item: 58,
    control: 'console-keys: only platform admins rotate at once',
    file: FILE,
    out: "@Post('rotate-at-once')\n  @ConsolePage('platform_admin', { recentSignIn: 'always' })",
    into: "@Post('rotate-at-once')\n  @ConsolePage('app_manager', { recentSignIn: 'always' })",
    tests: TESTS,
  },
  {
    item: 58,
    control: 'console-keys: every token ends only when that was typed',
    file: FILE,
    out: 'if (!isTyped(fields, ROTATE_AT_ONCE)) {',
    into: 'if (!fields) {',
    tests: TESTS,
  },
];
