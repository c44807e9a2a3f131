import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { RouteCensus } from '../../../src/auth/access/route-census.js';
import { NETWORK_LIMIT } from '../../../src/rate-limits/network-limit.guard.js';
import type { RateLimitLabel } from '../../../src/rate-limits/counters/rate-limit.rules.js';
import { startTestApp, type TestApp } from '../../support/test-app.js';

/**
 * What limits the public POST routes that do not count each request by its network address: the labels that their handlers
 * count, or why there is none. Who adds a route adds a limit, or a reason here.
 */
const LIMITED_BY: Readonly<Record<string, readonly RateLimitLabel[] | string>> = {
  'POST /auth/accept-invite': ['invite_failures', 'signup_ip', 'own_account'],
  'POST /auth/device-authorization': ['device_requests'],
  'POST /auth/forgot-password': ['forgot_password', 'forgot_password_ip', 'mail_ip'],
  'POST /auth/invite': ['invite_failures', 'signup_ip', 'own_account'],
  'POST /auth/login': ['login_ip', 'login_email'],
  'POST /auth/magic-link': ['magic_link', 'mail_ip'],
  'POST /auth/magic-link/request': ['magic_link', 'mail_ip'],
  'POST /auth/par': ['pushed_requests', 'login_page_ip'],
  'POST /auth/register': ['client_registrations'],
  'POST /auth/request-access': 'needs the SSO cookie; asking again changes nothing',
  'POST /auth/send-verification': ['send_verification'],
  'POST /auth/signup': ['signup_ip', 'mail_ip'],
  'POST /auth/token': ['client_credentials', 'code_failures', 'refresh_failures', 'token_exchange'],
  'POST /auth/totp/verify': ['totp'],
  'POST /logout': 'ends the sign-in of the browser',
  'POST /logout/confirm': 'ends the sign-in of the browser',
  'POST /magic-link/again': ['magic_link', 'mail_ip'],
  'POST /oauth/invite': ['invite_failures', 'signup_ip'],
  'POST /oauth/invite-accept': ['invite_failures', 'signup_ip'],
  'POST /setup': 'needs a link of 256 bits, which works once',
  'POST /sign-in/:attempt_id/:step': ['login_ip', 'login_email', 'totp', 'magic_link', 'signup_ip', 'invite_failures'],
  'POST /sign-in/:attempt_id/other-account': 'needs an attempt of the same browser, which `login_page_ip` counts',
  'POST /token/exchange': ['code_failures'],
  'POST /token/introspect': 'needs the secret or the key of a client, as its own server has it',
  'POST /token/refresh': ['refresh_failures'],
  'POST /token/revoke': 'takes access away, and answers 200 for unknown tokens',
  'POST /token/verify': 'checks a signature, as the caller could, and changes nothing',
  'POST /userinfo': 'reads what the access token is for, as GET does',
  'POST /verify-email/not-me': 'needs a mailed link, which works once',
};

// security 105
describe('Public POST routes', () => {
  let service: TestApp;

  beforeAll(async () => {
    service = await startTestApp();
  });

  afterAll(() => service.close());

  it('have a limit, or a reason why not', () => {
    const counted = service.nest.get(RouteCensus, { strict: false }).count();
    const open = counted.filter(
      ({ mark, target }) =>
        (mark?.kind === 'public' || mark?.kind === 'browser') &&
        Reflect.getMetadata(NETWORK_LIMIT, target) === undefined,
    );
    // Those of the console and of the account page count by their user (`admin`, `own_account`).
    const routes = open.flatMap((each) => each.routes.filter((route) => /^POST \/(?!console\/|account\/)/.test(route)));
    expect(routes.sort()).toEqual(Object.keys(LIMITED_BY).sort());
  });
});
