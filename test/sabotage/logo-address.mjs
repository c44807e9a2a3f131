// Controls around pictures at an app's logo address; see scripts/sabotage.mjs.
const TESTS = ['test/e2e/admin/logo-address.spec.ts'];

export default [
  {
    item: '95',
    control: 'logo address: visitors are never sent to its host',
    file: 'src/apps/directory/app-brand.ts',
    out: 'brandLogos(app, app.logoCopy)',
    into: 'brandLogos(app, app.branding.logo_url)',
    tests: TESTS,
  },
  {
    item: '88',
    control: 'logo address: pages allow no picture from elsewhere',
    file: 'src/common/pages/content-security-policy.ts',
    out: "img-src 'self' data:",
    into: "img-src 'self' data: https:",
    tests: TESTS,
  },
  {
    item: '95',
    control: 'logo address: the copy is of the present address',
    file: 'src/apps/changes/app-update.service.ts',
    out: ' ? {} : { logoCopy: null }',
    into: ' ? {} : {}',
    tests: TESTS,
  },
  {
    item: '95',
    control: 'logo address: what comes late is dropped',
    file: 'src/apps/pictures/copy-logo.handler.ts',
    out: 'if (app?.branding.logo_url !== address || app.logoCopy === copy) return;',
    into: 'if (!app) return;',
    tests: TESTS,
  },
  {
    item: '97',
    control: 'logo address: no dead letter for an address without a picture',
    file: 'src/apps/pictures/copy-logo.handler.ts',
    out: 'if (!lastAttempt && !(error instanceof NoLogoThere)) throw error;',
    into: 'if (!(error instanceof NoLogoThere) || !lastAttempt) throw error;',
    tests: TESTS,
  },
  {
    item: '93',
    control: 'logo address: what is fetched goes the way of an upload',
    file: 'src/apps/logo/logo-source.ts',
    out: 'return await this.images.normalize(itself(app), body);',
    into: "void itself(app);\n      return await Promise.resolve(`data:image/png;base64,${body.toString('base64')}`);",
    tests: TESTS,
  },
];
