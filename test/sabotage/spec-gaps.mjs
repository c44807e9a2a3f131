/** Controls beside sign-in links, codes, invite codes at a provider and apps to choose from. */
export default [
  {
    item: 'spec-gaps',
    control: 'spec-gaps: used sign-in links count for the network address',
    file: 'src/auth/magic-link/magic-link.controller.ts',
    out: "  @NetworkLimit('login_page_ip')\n",
    into: '',
    tests: ['test/e2e/sign-in/network-limits.spec.ts'],
  },
  {
    item: 'spec-gaps',
    control: 'spec-gaps: a code over JSON is six digits, without blanks around it',
    file: 'src/auth/second-factor/totp.controller.ts',
    out: 'input.totp_session, input.code, presented',
    into: 'input.totp_session, input.code.trim(), presented',
    tests: ['test/e2e/second-factor/codes.spec.ts'],
  },
  {
    item: 'spec-gaps',
    control: 'spec-gaps: a provider’s newcomer without an invite is refused where no page may be shown',
    file: 'src/auth/providers/provider-sign-in.service.ts',
    out: "if (attempt.request.prompt === 'none') return refused;",
    into: '',
    tests: ['test/e2e/providers/invites.spec.ts'],
  },
  {
    item: 'spec-gaps',
    control: 'spec-gaps: only apps that the operator administers are offered to choose from',
    file: 'src/console/frame/own-apps.ts',
    out: 'return app && canAdministerApp(actor, app) ? app : null;',
    into: 'return app;',
    tests: ['test/e2e/console/users.spec.ts'],
  },
];
