// Controls of the account page; see scripts/sabotage.mjs.
export default [
  {
    item: 'account page',
    control: 'leaving an app: a suspended member cannot leave and join again',
    file: 'src/enrollment/membership-actions.ts',
    out: "export const LEAVE: MembershipAction = { ...MEMBERSHIP_ACTIONS.remove, from: 'active', toOneself: 'allowed' };",
    into: "export const LEAVE: MembershipAction = { ...MEMBERSHIP_ACTIONS.remove, toOneself: 'allowed' };",
    tests: ['test/e2e/account/apps.spec.ts'],
  },
  {
    item: 'account page',
    control: 'leaving an app: two administrators who leave at once do so one after the other',
    file: 'src/enrollment/enrollments.repository.ts',
    out: 'ORDER BY e.user_id FOR UPDATE OF e`',
    into: 'ORDER BY e.user_id`',
    tests: ['test/e2e/account/apps.spec.ts'],
  },
  {
    item: 'account page',
    control: 'leaving an app: its refresh tokens end',
    file: 'src/auth/account/own-apps.service.ts',
    out: "await this.revocation.revokeAll(tx, user.id, app.id, 'removed');",
    into: '',
    tests: ['test/e2e/account/apps.spec.ts'],
  },
  {
    item: 'account page',
    control: 'recent activity: the network address of an administrator stays hidden',
    file: 'src/auth/account/own-activity.service.ts',
    out: "ip: isOwn ? (entry.ipAddress ?? '') : '',",
    into: "ip: entry.ipAddress ?? '',",
    tests: ['test/e2e/account/activity.spec.ts'],
  },
];
