import { describe, expect, it } from '@jest/globals';
import { type Actor, NO_AUTHORITY } from '../../../../src/common/actor.js';
import {
  callerKey,
  findableParts,
  keyInTenant,
  keyOf,
  keysOfHit,
  ownAccountKey,
  userKey,
  ruleForKey,
  widerNetwork,
} from '../../../../src/rate-limits/counters/counter-keys.rules.js';

describe('widerNetwork', () => {
  it.each([
    ['2001:db8:1:2::/64', '2001:db8:1::/48'],
    ['2001:db8:0:1::/64', '2001:db8::/48'],
    ['2001:db8::/64', '2001:db8::/48'],
    ['::/64', '::/48'],
    ['2001:db8:1::/48', null],
    ['203.0.113.7', null],
    ['unknown', null],
    ['user:x', null],
  ])('of %s is %s', (key, wider) => {
    expect(widerNetwork(key)).toBe(wider);
  });
});

describe('keysOfHit', () => {
  it.each([
    ['login_ip', '203.0.113.7', ['203.0.113.7']],
    ['login_ip', '2001:db8:1:2::/64', ['2001:db8:1:2::/64', '2001:db8:1::/48']],
    ['totp', 'an-id', ['an-id']],
    ['client_credentials', 'client 203.0.113.7', ['client 203.0.113.7']],
    ['client_credentials', 'client 2001:db8:1:2::/64', ['client 2001:db8:1:2::/64', 'client 2001:db8:1::/48']],
    ['login_email', 'a@b.c 203.0.113.7', ['a@b.c 203.0.113.7', 'a@b.c']],
    ['magic_link', 'a@b.c 2001:db8:1:2::/64', ['a@b.c 2001:db8:1:2::/64', 'a@b.c 2001:db8:1::/48', 'a@b.c']],
    ['login_email', 'a@b.c browser:00ff', ['a@b.c browser:00ff']],
    ['member_mail', 'a@b.c a-tenant', ['a@b.c a-tenant', 'a@b.c']],
    ['email_change_address', 'a@b.c ann 203.0.113.7', ['a@b.c ann', 'a@b.c 203.0.113.7', 'a@b.c']],
    [
      'email_change_address',
      'a@b.c ann 2001:db8:1:2::/64',
      ['a@b.c ann', 'a@b.c 2001:db8:1:2::/64', 'a@b.c 2001:db8:1::/48', 'a@b.c'],
    ],
    ['scheduled_change_tenant', 'a-tenant an-app', ['a-tenant an-app', 'a-tenant']],
    ['app_changes', 'a-tenant an-app', ['a-tenant an-app', 'a-tenant']],
    ['membership_changes', 'a-tenant an-app', ['a-tenant an-app', 'a-tenant']],
    ['app_changes', 'own:a-tenant an-app', ['own:a-tenant an-app', 'own:a-tenant']],
    ['webhook_notice', 'a-tenant an-app', ['a-tenant an-app', 'a-tenant']],
    ['webhook_notice', 'an-app gone', ['an-app gone', 'an-app']],
    ['administrator_mail', 'a-user a-tenant an-app', ['a-user a-tenant an-app', 'a-user a-tenant']],
    ['access_request_mail', 'a-user a-tenant an-app', ['a-user a-tenant an-app', 'a-user a-tenant']],
    ['scheduled_change_mail', 'a-user a-tenant an-app', ['a-user a-tenant an-app', 'a-user a-tenant']],
    ['administrator_mail', 'a-user own:a-tenant console', ['a-user own:a-tenant console', 'a-user own:a-tenant']],
    ['administrator_mail', 'a-user', ['a-user']],
    ['own_account', 'user:ann shop', ['user:ann shop']],
    ['device_register', 'user:ann shop', ['user:ann shop']],
  ] as const)('of %s %s: %j', (label, key, keys) => {
    expect(keysOfHit(label, key)).toEqual(keys);
  });
});

describe('keyOf', () => {
  it('keeps subjects with separators apart', () => {
    expect(keyOf('a client\n203.0.113.9', '203.0.113.7')).toBe('a_client_203.0.113.9 203.0.113.7');
  });
});

describe('callerKey', () => {
  const ann = (viaApp: string | null): Actor => {
    return { type: 'user', userId: 'ann', email: 'ann@example.com', audience: 'shop', viaApp, authority: NO_AUTHORITY };
  };

  it.each([
    ['a user themselves', ann(null), 'user:ann'],
    ['an app with a token of a user', ann('shop'), 'user:ann shop'],
    ['a server', { type: 'service', appId: 'shop', tenantId: 't', scopes: new Set<string>() }, 'app:shop'],
    ['nobody', { type: 'anonymous' }, null],
    ['the system', { type: 'system', name: 'x' }, null],
  ] as [string, Actor, string | null][])('of %s', (_, actor, key) => {
    expect(callerKey(actor)).toBe(key);
  });

  it('is that of own_account where an app has the token', () => {
    expect(ownAccountKey('ann', null)).toBe('ann');
    expect(ownAccountKey('ann', 'shop')).toBe(userKey('ann', 'shop'));
  });
});

describe('findableParts', () => {
  it('leaves a counter of a user at an app to the user', () => {
    expect(findableParts(userKey('ann', 'shop'))).toEqual(['user:ann']);
    expect(findableParts('shop 203.0.113.7')).toEqual(['shop', '203.0.113.7']);
  });

  it('names a tenant by its id, also where its apps do not count', () => {
    expect(findableParts(keyInTenant('ann', 'a-tenant', 'console', true))).toEqual(['ann', 'a-tenant', 'console']);
    expect(findableParts(keyInTenant('ann', 'a-tenant', 'shop', false))).toEqual(['ann', 'a-tenant', 'shop']);
  });
});

describe('ruleForKey', () => {
  const rule = { points: 5, seconds: 900, detail: 'x', active: true };

  it.each([
    ['login_ip', '2001:db8:1::/48', 50],
    ['login_ip', '2001:db8:1:2::/64', 5],
    ['login_email', 'a@b.c', 50],
    ['login_email', 'a@b.c 203.0.113.7', 5],
    ['login_email', 'a@b.c 2001:db8:1::/48', 50],
    ['login_email', 'a@b.c browser:00ff', 5],
    ['totp', 'an-id', 5],
    ['member_mail', 'a@b.c', 50],
    ['email_change_address', 'a@b.c ann', 5],
    ['email_change_address', 'a@b.c 203.0.113.7', 15],
    ['email_change_address', 'a@b.c 2001:db8:1:2::/64', 15],
    ['email_change_address', 'a@b.c 2001:db8:1::/48', 15],
    ['email_change_address', 'a@b.c', 50],
    ['scheduled_change_tenant', 'a-tenant', 50],
    ['scheduled_change_tenant', 'a-tenant an-app', 5],
    ['app_changes', 'own:a-tenant', 50],
    ['app_changes', 'a-tenant an-app', 5],
    ['member_mail', 'a@b.c a-tenant', 5],
    ['administrator_mail', 'a-user', 5],
    ['administrator_mail', 'a-user a-tenant', 50],
    ['administrator_mail', 'a-user a-tenant an-app', 5],
    ['admin', 'user:ann', 5],
    ['admin', 'user:ann shop', 5],
    ['device_register', 'user:ann shop', 5],
  ] as const)('lets %s %s pass %d times', (label, key, points) => {
    expect(ruleForKey(rule, label, key).points).toBe(points);
  });
});
