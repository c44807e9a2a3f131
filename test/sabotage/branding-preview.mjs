// Controls of the pictures of pages and mails on the branding tab; see scripts/sabotage.mjs.
export default [
  {
    item: 'branding preview',
    control: 'preview: only for those who govern the app',
    file: 'src/console/apps/branding/previewed-apps.ts',
    out: 'const app = await this.pages.governed(consoleRequest, id);',
    into: 'const { app } = (await this.directory.find(id))!; void this.pages; void consoleRequest;',
    tests: ['test/e2e/console/apps/apps-rights.spec.ts'],
  },
  {
    item: 'branding preview',
    control: 'preview: a picture of a page is in a sandbox also when it is opened by itself',
    file: 'src/common/pages/content-security-policy.ts',
    out: "'sandbox allow-same-origin',",
    into: '',
    tests: ['test/e2e/console/apps/apps-settings.spec.ts'],
  },
  {
    item: 'branding preview',
    control: 'preview: a picture of a mail is in a sandbox also when it is opened by itself',
    file: 'src/console/apps/branding/preview.controller.ts',
    out: '`${MAIL_FRAME_POLICY}; sandbox`',
    into: 'MAIL_FRAME_POLICY',
    tests: ['test/e2e/console/apps/apps-settings.spec.ts'],
  },
  {
    item: 'branding preview',
    control: 'test mail: counted by operator',
    file: 'src/admin/mail-log/test-mails.service.ts',
    out: "await this.limits.consume('test_mail', id);",
    into: '',
    tests: ['test/e2e/account/limit.spec.ts'],
  },
];
