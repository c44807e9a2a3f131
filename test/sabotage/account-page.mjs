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
  {
    item: 'account page',
    control: 'download of own data: only after a recent sign-in',
    file: 'src/auth/account/account-export.controller.ts',
    out: 'await this.visits.submitFresh(ctx, request, response, null)',
    into: 'await this.visits.submit(ctx, request, response)',
    tests: ['test/e2e/account/export.spec.ts'],
  },
  {
    item: 'account page',
    control: 'download of own data: what others did is without their address and words',
    file: 'src/auth/account/own-data.service.ts',
    out: '...(isOwn ? { ip_address: ipAddress, user_agent: userAgent, metadata } : {}),',
    into: 'ip_address: ipAddress, user_agent: userAgent, metadata,',
    tests: ['test/e2e/account/export.spec.ts'],
  },
];
