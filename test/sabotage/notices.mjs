// Controls around notices by mail and what goes with them; see scripts/sabotage.mjs.
export default [
  {
    item: 'notices',
    control: 'notices: somebody who is given the role admin is told, and the app’s other admins',
    file: 'src/enrollment/enrollment.service.ts',
    out: 'if (!givesAuthority(app, before, after)) return;',
    into: 'if (!app.isConsoleApp || !givesAuthority(app, before, after)) return;',
    tests: ['test/e2e/account/notice-mails.spec.ts'],
  },
  {
    item: 'notices',
    control: 'notices: authority that comes by an invite is told of as well',
    file: 'src/enrollment/invited-enrollment.service.ts',
    out: 'if (!givesAuthority(app, before, after)) return;',
    into: 'if (givesAuthority(app, before, after) || !createdBy) return;',
    tests: ['test/e2e/account/notice-mails.spec.ts'],
  },
  {
    item: 'notices',
    control: 'notices: the lock of the second factor leads to the account',
    file: 'views/mail/second-factor-locked.text.hbs',
    out: ' You find it, and where you are signed in, at {{accountUrl}}',
    into: '',
    tests: ['test/e2e/account/notice-mails.spec.ts'],
  },
];
