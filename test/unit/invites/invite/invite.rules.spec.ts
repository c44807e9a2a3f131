import { describe, expect, it } from '@jest/globals';
import { type Actor, type Authority, NO_AUTHORITY } from '../../../../src/common/actor.js';
import {
  dependsOnInviter,
  governsInvites,
  inviteStatus,
  judgeInviter,
  judgeInviting,
  maySeeInvite,
} from '../../../../src/invites/invite/invite.rules.js';

const APP = { id: 'app', tenantId: 'tenant', isConsoleApp: false };
const CONSOLE = { id: 'console', tenantId: 'tenant', isConsoleApp: true };

const user = (authority: Partial<Authority>): Actor => ({
  type: 'user',
  userId: 'maker',
  email: 'maker@example.com',
  audience: 'console',
  viaApp: null,
  authority: { ...NO_AUTHORITY, ...authority },
});
const service = (appId: string): Actor => ({ type: 'service', appId, tenantId: 'tenant', scopes: new Set() });

const ACTORS: Record<string, Actor> = {
  platform: user({ platform: true }),
  'tenant admin': user({ tenants: new Set(['tenant']) }),
  'foreign tenant admin': user({ tenants: new Set(['elsewhere']) }),
  'app admin': user({ appsAdministered: new Set(['app']) }),
  'foreign app admin': user({ appsAdministered: new Set(['elsewhere']) }),
  manager: user({ appsManaged: new Set(['app']) }),
  'foreign manager': user({ appsManaged: new Set(['elsewhere']) }),
  user: user({}),
  service: service('app'),
  'foreign service': service('elsewhere'),
  system: { type: 'system', name: 'start' },
  anonymous: { type: 'anonymous' },
  // Nobody holds such a role in a Console app; if a user did, it would give nothing there.
  'admin role in the Console app': user({ appsAdministered: new Set(['console']) }),
  'manager role in the Console app': user({ appsManaged: new Set(['console']) }),
};

describe('Right to invite', () => {
  it.each([
    ['user', ['user'], APP, ['platform', 'tenant admin', 'app admin', 'manager', 'service', 'system']],
    ['nothing', [], APP, ['platform', 'tenant admin', 'app admin', 'manager', 'service', 'system']],
    [
      'a role of the app’s own',
      ['user', 'editor'],
      APP,
      ['platform', 'tenant admin', 'app admin', 'service', 'system'],
    ],
    ['manager', ['manager'], APP, ['platform', 'tenant admin', 'app admin', 'system']],
    ['admin', ['user', 'admin'], APP, ['platform', 'tenant admin', 'app admin', 'system']],
    ['into the Console app', ['user'], CONSOLE, ['platform', 'tenant admin', 'system']],
  ] as const)('with %s', (_, roles, app, allowed) => {
    const may = Object.entries(ACTORS).filter(([, actor]) => judgeInviting(actor, app, roles) === 'allowed');
    expect(may.map(([name]) => name)).toEqual([...allowed]);
  });

  it('over all invites of an app is never a manager’s', () => {
    const governing = (app: typeof APP) =>
      Object.entries(ACTORS).flatMap(([name, actor]) => (governsInvites(actor, app) ? [name] : []));
    expect(governing(APP)).toEqual(['platform', 'tenant admin', 'app admin', 'system']);
    expect(governing(CONSOLE)).toEqual(['platform', 'tenant admin', 'system']);
  });

  it('of a manager shows no code that grants rights', () => {
    const seeing = (roles: string[]) =>
      Object.entries(ACTORS).flatMap(([name, actor]) => (maySeeInvite(actor, APP, roles) ? [name] : []));
    expect(seeing(['user'])).toEqual(['platform', 'tenant admin', 'app admin', 'manager', 'system']);
    expect(seeing(['user', 'editor'])).toEqual(['platform', 'tenant admin', 'app admin', 'system']);
  });
});

describe('Invite whose creator is judged when it is used', () => {
  it.each([
    ['user', ['user'], APP, false],
    ['no role', [], APP, false],
    ['a role of the app’s own', ['user', 'editor'], APP, true],
    ['manager', ['manager'], APP, true],
    ['admin', ['admin'], APP, true],
    ['user, in a Console app', ['user'], CONSOLE, true],
  ] as const)('with %s', (_, roles, app, depends) => {
    expect(dependsOnInviter(app, roles)).toBe(depends);
  });

  const own = { ...APP, serviceScopes: ['invites:create'] };
  const console = { ...CONSOLE, serviceScopes: ['invites:create'] };
  const account = (authority: Partial<Authority>, isActive = true) => ({
    email: 'maker@example.com',
    isActive,
    authority: { ...NO_AUTHORITY, ...authority },
  });
  const governing = account({ appsAdministered: new Set(['app']) });
  it.each([
    ['still governs the app', 'maker', ['admin'], own, governing, 'allowed'],
    ['was switched off', 'maker', ['admin'], own, { ...governing, isActive: false }, 'forbidden'],
    ['has become a manager', 'maker', ['admin'], own, account({ appsManaged: new Set(['app']) }), 'forbidden'],
    ['governs another app', 'maker', ['editor'], own, account({ appsAdministered: new Set(['x']) }), 'forbidden'],
    ['is gone', 'maker', ['editor'], own, null, 'forbidden'],
    ['administers the tenant', 'maker', ['user'], console, account({ tenants: new Set(['tenant']) }), 'allowed'],
    ['administers the app, in a Console app', 'maker', ['user'], console, governing, 'forbidden'],
    ['is not named, for a role of the app’s own', null, ['editor'], own, null, 'allowed'],
    ['is not named, of an app that may not', null, ['editor'], { ...own, serviceScopes: [] }, null, 'forbidden'],
    ['is not named, for an admin', null, ['admin'], own, null, 'forbidden'],
    ['is not named, for a manager', null, ['manager'], own, null, 'forbidden'],
    ['is not named, in a Console app', null, ['user'], console, null, 'forbidden'],
  ] as const)('and who %s', (_, createdBy, roles, app, inviter, verdict) => {
    expect(judgeInviter({ createdBy, madeByUser: createdBy !== null, roles }, app, inviter)).toBe(verdict);
  });
});

describe('State of an invite', () => {
  it.each([
    [0, 1, false, 'usable'],
    [4, 5, false, 'usable'],
    [5, 5, false, 'exhausted'],
    [0, 0, false, 'exhausted'],
    [0, 1, true, 'expired'],
    [1, 1, true, 'exhausted'],
  ] as const)('with %i of %i uses, expired: %s → %s', (useCount, maxUses, isExpired, status) => {
    expect(inviteStatus({ useCount, maxUses, isExpired })).toBe(status);
  });
});
