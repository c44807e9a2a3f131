import { describe, expect, it } from '@jest/globals';
import type { RegisteredClient } from '../../../../../src/apps/directory/app-directory.js';
import { signInAgain } from '../../../../../src/auth/hosted-sign-in/pages/sign-in-again.js';
import { Messages } from '../../../../../src/common/i18n/messages.js';
import { methodsOf, acceptsMethods } from '../../../../../src/auth/entry/methods/sign-in-methods.rules.js';
import type { ProviderSettings } from '../../../../../src/config/provider-settings.js';
import { joinedAt, publishedAmr } from '../../../../../src/tokens/protocol/amr.rules.js';

const shop = (...allowed: string[]) => ({ id: 'shop', name: 'Shop', config: { allowed_providers: allowed } });
const atShop = (...allowed: string[]) => ({ app: shop(...allowed), tenant: { passkeyAaguids: null } });

describe('Methods of a sign-in', () => {
  it.each([
    [['pwd'], ['password']],
    [['pwd', 'otp', 'mfa'], ['password']],
    [['email'], ['magic_link']],
    [['fed', 'google'], ['google']],
    [['fed', 'apple', 'otp', 'mfa'], ['apple']],
    [
      ['pwd', 'email'],
      ['password', 'magic_link'],
    ],
    [[], ['magic_link']],
    [['otp', 'mfa'], ['magic_link']],
    [['joined:shop'], ['magic_link']],
    [['fed'], ['magic_link']],
  ])('of %j are %j', (amr, methods) => expect(methodsOf(amr)).toEqual(methods));

  it('are accepted by an app that allows one of them, or that the user joined without any', () => {
    expect(acceptsMethods(atShop('google', 'password'), ['fed', 'google'])).toBe(true);
    expect(acceptsMethods(atShop('google'), ['pwd', 'otp', 'mfa'])).toBe(false);
    expect(acceptsMethods(atShop('google'), ['fed', 'github'])).toBe(false);
    expect(acceptsMethods(atShop('google'), [joinedAt({ id: 'shop' })])).toBe(true);
    expect(acceptsMethods(atShop('google'), [joinedAt({ id: 'other' })])).toBe(false);
    expect(acceptsMethods(atShop('magic_link'), [joinedAt({ id: 'other' })])).toBe(true);
  });

  it('are published without the app that the user joined', () => {
    expect(publishedAmr(['email', joinedAt({ id: 'shop' }), 'otp'])).toEqual(['email', 'otp']);
  });

  it.each([
    [['google'], 'Sign in again with Google.'],
    [['magic_link', 'password', 'google'], 'Sign in again with your password, Google, or a link by e-mail.'],
    [['apple'], 'Sign in again.'],
  ])('are named in the error if an app allows only %j', (allowed, beginning) => {
    const settings = { google: {}, microsoft: null, github: null, apple: null } as ProviderSettings;
    const client = { app: shop(...allowed), tenant: { passkeyAaguids: null } } as RegisteredClient;
    const text = new Messages().text('en', signInAgain(settings, client, []));
    expect(text).toBe(`${beginning} Shop doesn’t accept the method that you signed in with.`);
  });
});
