/** Who may change a user's password and second factor: never the server of an app that the user signs in to. */
export default [
  {
    item: 'account credentials',
    control: 'the token of an app is refused where the route does not name it',
    file: 'src/auth/access/account-holder.service.ts',
    out: 'if (!acceptsCredential(request, holder.via)) throw new InsufficientPermissions();',
    into: '',
    tests: ['test/e2e/passwords/own-password.spec.ts', 'test/e2e/second-factor/account.spec.ts'],
  },
  {
    item: 'account credentials',
    control: 'a set-up begun with the token of an app asks for the password',
    file: 'src/auth/credentials/own/account-security.controller.ts',
    out: 'await this.passwords.confirm(holder.ctx, holder.user, input.password);',
    into: '',
    tests: ['test/e2e/second-factor/account.spec.ts'],
  },
  {
    item: 'account credentials',
    control: 'wrong passwords at the set-up count as sign-in attempts',
    file: 'src/auth/credentials/password/password-check.service.ts',
    out: "await this.userLimits.consume(ctx, 'login_email', user.emailCanonical);",
    into: '',
    tests: ['test/e2e/second-factor/account.spec.ts'],
  },
  {
    item: 'account credentials',
    control: 'an app confirms only the set-up that it began',
    file: 'src/auth/credentials/own/account-security.controller.ts',
    out: 'if (within !== null && !(await this.setups.isBegun(holder.user, within))) throw new InsufficientPermissions();',
    into: '',
    tests: ['test/e2e/second-factor/account.spec.ts'],
  },
];
