// Names that are shown in lists, mails and logs; see scripts/sabotage.mjs.
const USERS = 'src/users/users.service.ts';
const TESTS = ['test/e2e/ways-in/display-names.spec.ts'];

export default [
  {
    item: 'names',
    control: 'a new account has a display name without marks that turn text around',
    file: USERS,
    out: '...address, displayName: nameOf(fields)',
    into: '...address',
    tests: TESTS,
  },
  {
    item: 'names',
    control: 'an imported account has a display name without marks that turn text around',
    file: USERS,
    out: 'display_name: nameOf(account)',
    into: 'display_name: account.displayName',
    tests: TESTS,
  },
  {
    item: 'names',
    control: 'a renamed account has a display name without marks that turn text around',
    file: USERS,
    out: 'nameOf({ email: user.email, displayName })',
    into: 'displayName',
    tests: TESTS,
  },
  {
    item: 'names',
    control: 'mails break names at every sign that is read as the dot of a host',
    file: 'src/mail/content/without-links.ts',
    out: '\\u3002\\uff0e\\uff61',
    into: '',
    tests: ['test/unit/mail/content/without-links.spec.ts'],
  },
];
