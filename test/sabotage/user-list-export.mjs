// Controls around the export of the list of users; see scripts/sabotage.mjs.
export default [
  {
    item: 'export of the list of users',
    control: 'export of the list of users: each page for who may still read it',
    file: 'src/auth/access/standings.service.ts',
    out: 'if (!isFirst) await this.checkUnchanged(ctx);',
    into: 'void isFirst;',
    tests: ['test/e2e/console/users.spec.ts'],
  },
  {
    item: 'export of the list of users',
    control: 'export of the list of users: only by a link of the console',
    file: 'src/console/users/users-export.controller.ts',
    out: 'if (!this.navigation.isFollowed(request)) return redirectTo(response, usersUrl(filter));',
    into: '',
    tests: ['test/e2e/console/users.spec.ts'],
  },
  {
    item: 'export of the list of users',
    control: 'export of the list of users: cells that a spreadsheet would run are made harmless',
    file: 'src/admin/user-list-export.service.ts',
    out: "yield found.users.map((user) => csvLine(cellsOf(user))).join('');",
    into: "yield found.users.map((user) => `${cellsOf(user).join(',')}\\r\\n`).join('');",
    tests: ['test/e2e/console/users.spec.ts'],
  },
];
