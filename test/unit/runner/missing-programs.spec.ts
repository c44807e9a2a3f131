import { resolve } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import ClosingLineReporter from '../../support/closing-line-reporter.js';
import { neededPrograms } from '../../support/runner/needed-programs.js';

describe('Missing program', () => {
  it.each([
    ['test/browser/clients/openid-client.spec.ts', ['Chromium headless shell']],
    ['test/browser/push-demo.spec.ts', ['Chromium headless shell', 'Chromium']],
    ['test/browser/clients/mod-auth-openidc.spec.ts', ['Chromium headless shell', 'Apache with mod_auth_openidc']],
    ['test/e2e/races/limits.spec.ts', ['Redis']],
    ['test/e2e/examples/readme.spec.ts', ['curl']],
    ['test/unit/push/webhooks/messages/webhook-retry.rules.spec.ts', []],
  ])('is found by the imports of %s', (file, programs) => {
    expect(neededPrograms(resolve(file))).toEqual(programs);
  });

  it.each([
    ['true', 'a failure where CI is set', expect.any(Error)],
    [undefined, 'no failure elsewhere', undefined],
  ])('with CI=%s is %s', (ci, _, fault) => {
    const before = process.env['CI'];
    if (ci) process.env['CI'] = ci;
    else delete process.env['CI'];
    const reporter = new ClosingLineReporter();
    reporter.read([{ notRunFor: 'Chromium' }, {}]);
    expect(reporter.getLastError()).toEqual(fault);
    if (before === undefined) delete process.env['CI'];
    else process.env['CI'] = before;
  });
});
