import { describe, expect, it } from '@jest/globals';
import { cutAuthority, hasMinimumRole, widensAuthority } from '../../../../src/auth/access/access.rules.js';
import { type Authority, NO_AUTHORITY } from '../../../../src/common/actor.js';
import type { MinimumRole } from '../../../../src/common/http/access-marks.js';

const EVERYTHING: Authority = {
  platform: true,
  tenants: new Set(['t1', 't2']),
  appsAdministered: new Set(['a1', 'a2']),
  appsManaged: new Set(['a1', 'a3']),
};

describe('Authority by audience', () => {
  it('is complete in a token for a Console', () => {
    expect(cutAuthority(EVERYTHING, { appId: 'console', isConsole: true })).toEqual(EVERYTHING);
  });

  it('is limited to one app in a token for that app', () => {
    expect(cutAuthority(EVERYTHING, { appId: 'a1', isConsole: false })).toEqual({
      platform: false,
      tenants: new Set(),
      appsAdministered: new Set(['a1']),
      appsManaged: new Set(['a1']),
    });
    expect(cutAuthority(EVERYTHING, { appId: 'a3', isConsole: false })).toEqual({
      ...NO_AUTHORITY,
      appsManaged: new Set(['a3']),
    });
  });

  it('is empty in a token for an app in which the user has no role', () => {
    expect(cutAuthority(EVERYTHING, { appId: 'a9', isConsole: false })).toEqual(NO_AUTHORITY);
  });
});

describe('Role hierarchy', () => {
  const LADDER: readonly MinimumRole[] = ['user', 'app_manager', 'app_admin', 'tenant_admin', 'platform_admin'];

  it.each<[string, Partial<Authority>, MinimumRole]>([
    ['nobody in particular', {}, 'user'],
    ['an app manager', { appsManaged: new Set(['a']) }, 'app_manager'],
    ['an app admin', { appsAdministered: new Set(['a']) }, 'app_admin'],
    ['a tenant admin', { tenants: new Set(['t']) }, 'tenant_admin'],
    ['a platform admin', { platform: true }, 'platform_admin'],
  ])('of %s reaches up to the role’s own level', (_who, authority, highest) => {
    const reached = LADDER.filter((rung) => hasMinimumRole({ ...NO_AUTHORITY, ...authority }, rung));
    expect(reached).toEqual(LADDER.slice(0, LADDER.indexOf(highest) + 1));
  });
});

describe('Fields that a service token may not send', () => {
  const OWN_TENANT = '01a1fdec-58dd-741b-b57b-cf50ee21b55b';
  const OTHER_TENANT = '01a1fdec-58dd-741b-b57b-cf50ee21b55c';

  it.each<[string, unknown]>([
    ['is_platform_admin', { is_platform_admin: true }],
    ['is_platform_admin, even as false', { is_platform_admin: false }],
    ['service_scopes', { service_scopes: [] }],
    ['is_console_app', { is_console_app: null }],
    ['a reserved bundle_id', { bundle_id: 'console.acme' }],
    ['a reserved bundle_id in capitals', { bundle_id: 'Console.acme' }],
    ['a reserved bundle_id behind a blank', { bundle_id: ' console.acme' }],
    ['the id of another tenant', { tenant_id: OTHER_TENANT }],
    ['the id of another tenant, deep down', { apps: [{ tenant_id: OTHER_TENANT }] }],
    ['one of them in an object', { config: { branding: { service_scopes: ['apps:write'] } } }],
    ['one of them in a list', { users: [{ email: 'a@b.c' }, { is_platform_admin: true }] }],
  ])('include %s', (_what, body) => expect(widensAuthority(body, OWN_TENANT)).toBe(true));

  it.each<[string, unknown]>([
    ['nothing', undefined],
    ['null', null],
    ['the id of its own tenant', { tenant_id: OWN_TENANT.toUpperCase() }],
    ['a text', 'is_platform_admin'],
    ['the name as a value', { display_name: 'is_platform_admin' }],
    ['a bundle_id that only holds the word', { bundle_id: 'com.console.acme' }],
    ['a bundle_id that is no text', { bundle_id: 5 }],
  ])('do not include %s', (_what, body) => expect(widensAuthority(body, OWN_TENANT)).toBe(false));
});
