import { describe, expect, it } from '@jest/globals';
import {
  areAutomatic,
  giverOf,
  givesAuthority,
  needsConfirmation,
} from '../../../../src/enrollment/authority/new-authority.rules.js';

const APP = { isConsoleApp: false, config: { auto_assign_roles: ['user', 'admin'] } };
const CONSOLE = { isConsoleApp: true, config: { auto_assign_roles: ['user'] } };

describe('New authority', () => {
  it.each<[string, typeof APP, string[] | null, string[], boolean, boolean]>([
    ['an admin', APP, ['user'], ['user', 'admin'], true, true],
    ['a manager', APP, ['user'], ['user', 'manager'], false, true],
    ['a manager who becomes an admin', APP, ['manager'], ['admin'], true, true],
    ['an admin who becomes a manager as well', APP, ['admin'], ['admin', 'manager'], false, true],
    ['an admin who gets another role', APP, ['admin'], ['admin', 'editor'], false, false],
    ['an admin no longer', APP, ['admin'], ['user'], false, false],
    ['a new member', APP, null, ['user', 'editor'], false, false],
    ['a new member of a Console app', CONSOLE, null, ['user'], true, true],
    ['a member of a Console app with more roles', CONSOLE, ['user'], ['user', 'admin'], false, false],
  ])('of %s is told, and confirmed, as expected', (_, app, before, after, isTold, isConfirmed) => {
    expect([givesAuthority(app, before, after), needsConfirmation(app, before, after)]).toEqual([isTold, isConfirmed]);
  });

  it('is not given by the automatic roles, except in a Console app', () => {
    expect(areAutomatic(APP, ['user', 'admin'])).toBe(true);
    expect(areAutomatic(APP, ['user', 'manager'])).toBe(false);
    expect(areAutomatic(CONSOLE, ['user'])).toBe(false);
  });

  it('is given by the server of the app if a service token was used', () => {
    const actor = { type: 'service', appId: 'a', tenantId: 't', scopes: new Set<string>() } as const;
    expect(giverOf({ actor } as unknown as Parameters<typeof giverOf>[0])).toBe('The server of the app');
  });
});
