/** What the clients of others need, which nobody here wrote (test/browser/clients, test/e2e/clients). */
const CLIENTS = 'test/browser/clients';
export default [
  {
    item: '13',
    control: 'a popup keeps its opener on the sign-in pages, for Angular',
    file: 'src/common/http/browser/opener-policy.ts',
    out: "  if (IN_POPUPS.test(request.path)) response.setHeader('Cross-Origin-Opener-Policy', 'unsafe-none');",
    into: "  if (IN_POPUPS.test(request.url) && request.path === '') response.end();",
    tests: [`${CLIENTS}/angular-oauth2-oidc.spec.ts`],
  },
  {
    item: '13',
    control: 'refreshes of Apache at the same time, at an app that allows for them',
    file: 'src/tokens/grants/refresh/concurrent-refresh.ts',
    out: '    if (!client || (client.app.config.refresh_grace_seconds ?? 0) === 0) return null;',
    into: '    if (client || rotation) return null;',
    tests: [`${CLIENTS}/mod-auth-openidc.spec.ts`],
  },
  {
    item: '13',
    control: 'scopes that a user cannot have are not granted, for APIs that demand them',
    file: 'src/tokens/protocol/scopes.rules.ts',
    out: 'USER_SCOPES.some((known) => known === scope) || ofResource',
    into: 'USER_SCOPES.length > 0 || ofResource',
    tests: ['test/e2e/clients/express-oauth2-jwt-bearer.spec.ts'],
  },
];
