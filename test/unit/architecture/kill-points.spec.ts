import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { ACCOUNT_REQUESTS } from '../../faults/requests/account-requests.js';
import { apiRequests } from '../../faults/requests/api-requests.js';
import { HOSTED_REQUESTS } from '../../faults/requests/hosted-requests.js';

/** Routes that `npm run test:faults` kills under another name, or that write nothing. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  'POST /account/passkeys/options': 'writes a challenge, as POST /sign-in, options for a passkey',
  'POST /admin/invites': 'POST /admin/apps/{a}/invites (alias POST /admin/invites)',
  'POST /admin/providers/{}': 'a preview, which writes nothing',
  'POST /admin/users/roles': 'PUT /admin/users/{u}/roles (alias POST /admin/users/roles)',
  'PUT /admin/apps/{}/secret': 'POST /admin/apps/{a}/regenerate-secret (alias PUT …/secret)',
  'POST /auth/invite': 'POST /admin/apps/{a}/invites',
  'POST /auth/magic-link': 'POST /auth/magic-link/request',
  'POST /invite': 'POST /sign-in, invite',
  'POST /login': 'GET /login',
  'POST /logout': 'POST /logout/confirm',
  'POST /oauth/{}/link': 'POST /oauth/google/link, of the provider requests',
  'POST /oauth/apple/callback': 'GET /oauth/google/callback, of the provider requests',
  'POST /oauth/invite': 'provider requests',
  'POST /oauth/invite-accept': 'provider requests',
  'POST /setup': 'the first start; answers once for a whole installation',
  'POST /sign-in/{}/{}': 'POST /sign-in, by name of the step',
  'POST /sign-in/{}/other-account': 'POST /sign-in, other account',
  'POST /sign-in/{}/passkey/options': 'POST /sign-in, options for a passkey',
  'POST /sign-in/{}/offer_passkey/options': 'POST /sign-in, options for a passkey',
  'POST /sign-in/{}/second_factor/options': 'POST /sign-in, options for a passkey',
  'POST /sign-in/{}/sign_up/options': 'POST /sign-in, options for a passkey',
  'POST /sign-in/{}/invited_sign_up/options': 'POST /sign-in, options for a passkey',
  'POST /token/introspect': 'writes nothing',
  'POST /token/verify': 'writes nothing',
  'POST /userinfo': 'writes nothing',
};

/** Any parameter of a path. */
const unnamed = (route: string): string => route.replace(/\{[^}]*\}|:\w+/g, '{}');

describe('Requests that the service is killed in (npm run test:faults)', () => {
  const names = Object.keys({ ...apiRequests(), ...HOSTED_REQUESTS, ...ACCOUNT_REQUESTS });
  const killed = new Set(names.map((name) => unnamed(name.split(/[,(]/)[0]!.trim())));
  const table = readFileSync(new URL('../../e2e/authorization/credentials.csv', import.meta.url), 'utf8');
  const routes = table
    .split('\n')
    .map((line) => line.split(',').slice(0, 2).join(' '))
    .filter((route) => /^(?:POST|PUT|PATCH|DELETE) (?!\/console)/.test(route))
    .map(unnamed);

  it('are those of every route outside the console that writes', () => {
    expect(routes.length).toBeGreaterThan(100);
    expect(routes.filter((route) => !killed.has(route) && !(route in ELSEWHERE))).toEqual([]);
  });

  it('and no exception is left of a route that is gone or killed now', () => {
    expect(Object.keys(ELSEWHERE).filter((route) => killed.has(route) || !routes.includes(route))).toEqual([]);
  });
});
