/** Ways around a control that a reader with an attacker's eye has found. */
export default [
  {
    item: 'recent sign-in',
    control: 'a Console app that is named in the query counts like one in the body',
    file: 'src/auth/access/recent-sign-in.service.ts',
    out: "query['app_id'], ",
    into: '',
    tests: ['test/e2e/admin/recent-sign-in.spec.ts'],
  },
  {
    item: 'recent sign-in',
    control: 'an id is read as the forms read it, without the blanks around it',
    file: 'src/auth/access/recent-sign-in.service.ts',
    out: "value.replaceAll('\\0', '').trim()",
    into: 'value',
    tests: ['test/e2e/console/confirm-identity.spec.ts'],
  },
  {
    item: 'recent sign-in',
    control: 'an invite counts for the app that it lets in to',
    file: 'src/auth/access/recent-sign-in.service.ts',
    out: 'invite && (await this.invites.appOf(invite))',
    into: 'null',
    tests: ['test/e2e/admin/recent-sign-in.spec.ts', 'test/e2e/console/confirm-identity.spec.ts'],
  },
];
