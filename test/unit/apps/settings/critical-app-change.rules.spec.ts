import { describe, expect, it } from '@jest/globals';
import { DEFAULT_CONFIG, type AppConfig } from '../../../../src/apps/app/app-config.js';
import { criticalReasons } from '../../../../src/apps/settings/critical-app-change.rules.js';

const OWN = ['password', 'passkey', 'google'] as AppConfig['allowed_providers'];
const WEB = ['https://shop.example/callback'];

describe('A change of an app', () => {
  const isCritical = (before: Partial<AppConfig>, after: Partial<AppConfig>, scopes = [[], []] as string[][]) =>
    criticalReasons(
      { config: { ...DEFAULT_CONFIG, ...before }, serviceScopes: scopes[0]!, registrationPolicy: 'invite' },
      {
        config: { ...DEFAULT_CONFIG, ...before, ...after },
        serviceScopes: scopes[1]!,
        registrationPolicy: 'invite',
      },
    ).length > 0;

  it.each<[string, Partial<AppConfig>, Partial<AppConfig>]>([
    ['that removes the password', { allowed_providers: OWN }, { allowed_providers: ['passkey', 'google'] }],
    ['that removes the passkey', { allowed_providers: OWN }, { allowed_providers: ['password', 'google'] }],
    ['that ends consent', { third_party: true }, { third_party: false }],
    ['of the keys', {}, { jwks_uri: 'https://shop.example/keys' }],
    ['of the authentication method', {}, { token_endpoint_auth_method: 'private_key_jwt' }],
    ['that no longer demands authentication', { client_type: 'confidential' }, { client_type: 'public' }],
    ['that adds a redirect URI', {}, { redirect_uris: WEB }],
    ['that opens it to devices', {}, { device_grant: true }],
    ['that opens a public client to devices', { client_type: 'public' }, { device_grant: true }],
    ['that no longer requires a second factor', { require_2fa: true }, { require_2fa: false }],
    [
      'that accepts not only passkeys',
      { allowed_providers: ['passkey'] },
      { allowed_providers: ['passkey', 'google'] },
    ],
    [
      'that adds a native redirect URI with a local host',
      {},
      { redirect_uris: ['com.example.shop://localhost/callback'] },
    ],
    ['that adds a native redirect URI', { client_type: 'native' }, { redirect_uris: ['com.example.shop:/callback'] }],
    [
      'that adds a redirect URI and stays without authentication',
      { redirect_uris: WEB },
      { redirect_uris: [...WEB, 'https://b.example/'] },
    ],
    ['that makes everyone who joins an admin', {}, { auto_assign_roles: ['user', 'admin'] }],
    ['that makes everyone who joins a manager', { auto_assign_roles: ['admin'] }, { auto_assign_roles: ['manager'] }],
  ])('%s is critical', (_, before, after) => expect(isCritical(before, after)).toBe(true));

  it.each<[string, Partial<AppConfig>, Partial<AppConfig>]>([
    ['of other settings', {}, { require_2fa: true, token_lifetime_minutes: 5 }],
    ['that adds a provider', { allowed_providers: ['password'] }, { allowed_providers: ['password', 'google'] }],
    ['that removes a provider', { allowed_providers: OWN }, { allowed_providers: ['password', 'passkey'] }],
    ['that asks for consent', {}, { third_party: true }],
    ['that removes a redirect URI', { redirect_uris: WEB }, { redirect_uris: [] }],
    [
      'that adds an address of the own computer',
      {},
      { redirect_uris: ['http://127.0.0.1/callback', 'http://localhost:3000/'] },
    ],
    ['of redirect URIs, if clients authenticate', { client_type: 'confidential' }, { redirect_uris: WEB }],
    ['that demands authentication', {}, { client_type: 'confidential' }],
    ['that opens a confidential client to devices', { client_type: 'confidential' }, { device_grant: true }],
    [
      'that accepts not only passkeys, and requires a second factor',
      { allowed_providers: ['passkey'] },
      { allowed_providers: ['passkey', 'google'], require_2fa: true },
    ],
    ['that keeps devices', { device_grant: true }, { device_grant: true }],
    ['of roles without authority', {}, { auto_assign_roles: ['user', 'editor'] }],
    ['that keeps or removes roles', { auto_assign_roles: ['admin', 'manager'] }, { auto_assign_roles: ['admin'] }],
  ])('%s is not critical', (_, before, after) => expect(isCritical(before, after)).toBe(false));

  it('that gives its server a scope for the whole tenant is critical, and one that takes it away is not', () => {
    expect(isCritical({}, {}, [['apps:read'], ['apps:read', 'apps:write']])).toBe(true);
    expect(
      isCritical({}, {}, [
        ['apps:read', 'apps:write'],
        ['apps:write', 'push:send'],
      ]),
    ).toBe(false);
  });

  it('is critical if it opens an app that gives a role with authority to all who join', () => {
    const opened = (roles: string[]) => {
      const app = { config: { ...DEFAULT_CONFIG, auto_assign_roles: roles }, serviceScopes: [] };
      return criticalReasons({ ...app, registrationPolicy: 'approval' }, { ...app, registrationPolicy: 'open' });
    };
    expect([opened(['user', 'admin']), opened(['user', 'manager']), opened(['user'])]).toEqual([
      ['open_with_admin'],
      ['open_with_manager'],
      [],
    ]);
  });
});
