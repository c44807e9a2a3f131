import { describe, expect, it } from '@jest/globals';
import {
  changesPasskeyModels,
  takesOwnCredentialsAway,
} from '../../../../../src/auth/access/confirmation/credential-settings.rules.js';

const CURRENT = ['password', 'passkey', 'google'];

describe('Sign-in methods in a request', () => {
  it.each<[string, Record<string, unknown>, boolean]>([
    ['names none', { config: { require_2fa: true } }, false],
    ['names the same', { config: { allowed_providers: CURRENT } }, false],
    ['names one more', { config: { allowed_providers: [...CURRENT, 'github'] } }, false],
    ['leaves out a provider', { config: { allowed_providers: ['passkey', 'password'] } }, false],
    ['leaves out the password', { config: { allowed_providers: ['passkey', 'google'] } }, true],
    ['leaves out the passkey', { config: { allowed_providers: ['password'] } }, true],
    ['is no list', { config: { allowed_providers: null } }, true],
    ['is a form that leaves out the passkey', { provider_password: 'on', place_google: '' }, true],
    ['is a form that only places the password', { provider_passkey: 'on', place_password: 'on' }, true],
    ['is a form that leaves out both', { place_google: '' }, true],
    ['is a form with both', { provider_password: 'on', provider_passkey: 'on' }, false],
    [
      'is a form with a body of the API beside it',
      { config: { allowed_providers: CURRENT }, provider_google: 'on' },
      true,
    ],
  ])('take a credential away where the request %s: %j → %s', (_, sent, expected) =>
    expect(takesOwnCredentialsAway(sent, CURRENT)).toBe(expected),
  );

  it('take nothing away that the app did not ask for', () => {
    expect(takesOwnCredentialsAway({ config: { allowed_providers: ['github'] } }, ['google'])).toBe(false);
  });
});

describe('Models of passkeys in a request', () => {
  const ONE = 'ea9b8d66-4d01-1d21-3ce4-b6b48cb575d4';
  const TWO = 'adce0002-35bc-c60a-648b-0b25f1f05503';

  it.each<[unknown, string[] | null, boolean]>([
    [undefined, [ONE], false],
    [null, null, false],
    ['', null, false],
    [[ONE], null, true],
    [ONE, null, true],
    [[TWO, ONE], [ONE, TWO], false],
    [` ${TWO.toUpperCase()}\r\n${ONE}\n`, [ONE, TWO], false],
    [[ONE], [ONE, TWO], true],
    [null, [ONE], true],
  ])('change: %j beside %j → %s', (sent, current, expected) =>
    expect(changesPasskeyModels(sent, current)).toBe(expected),
  );
});
