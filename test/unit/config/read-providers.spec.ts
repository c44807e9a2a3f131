import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { offeredProviders } from '../../../src/config/provider-settings.js';
import { readProviders } from '../../../src/config/read-providers.js';

const pem = (namedCurve: string) =>
  generateKeyPairSync('ec', { namedCurve }).privateKey.export({ format: 'pem', type: 'pkcs8' }).toString();
const GOOGLE = { GOOGLE_CLIENT_ID: 'id', GOOGLE_CLIENT_SECRET: 'secret' };
const APPLE = { APPLE_CLIENT_ID: 'id', APPLE_TEAM_ID: 'team', APPLE_KEY_ID: 'key' };

const read = (env: Record<string, string>) => {
  const faults: string[] = [];
  return { settings: readProviders(env, faults), faults };
};

describe('readProviders', () => {
  it('returns no provider without values or with empty ones', () => {
    const none = { google: null, microsoft: null, github: null, apple: null };
    expect(read({})).toEqual({ settings: none, faults: [] });
    expect(read({ GOOGLE_CLIENT_ID: '', GOOGLE_CLIENT_SECRET: '' })).toEqual({ settings: none, faults: [] });
  });

  it('uses the providers’ own addresses by default', () => {
    const { settings } = read({
      ...GOOGLE,
      MICROSOFT_CLIENT_ID: 'id',
      MICROSOFT_CLIENT_SECRET: 'secret',
      GITHUB_CLIENT_ID: 'id',
      GITHUB_CLIENT_SECRET: 'secret',
      ...APPLE,
      APPLE_PRIVATE_KEY: pem('P-256'),
    });
    const addresses = JSON.stringify(settings).match(/https?:\/\/[^/"]+/g)!;
    expect(new Set(addresses)).toEqual(
      new Set([
        'https://accounts.google.com',
        'https://oauth2.googleapis.com',
        'https://openidconnect.googleapis.com',
        'https://www.googleapis.com',
        'https://login.microsoftonline.com',
        'https://github.com',
        'https://api.github.com',
        'https://appleid.apple.com',
      ]),
    );
  });

  it.each([
    [{ GOOGLE_CLIENT_ID: 'id' }, ['GOOGLE_CLIENT_SECRET is required with GOOGLE_CLIENT_ID']],
    [{ GITHUB_CLIENT_SECRET: 's' }, ['GITHUB_CLIENT_ID is required with GITHUB_CLIENT_SECRET']],
    [APPLE, ['APPLE_PRIVATE_KEY is required with APPLE_CLIENT_ID']],
  ])('requires all credentials or none: %j', (env, faults) => {
    expect(read(env).faults).toEqual(faults);
  });

  it.each([
    'http://accounts.example',
    'ftp://127.0.0.1',
    'accounts.google.com',
    'https://u:p@x.example',
    'https://x.example/#a',
  ])('rejects the address %s', (address) => {
    const { faults } = read({ ...GOOGLE, GOOGLE_TOKEN_URL: address });
    expect(faults).toEqual(['GOOGLE_TOKEN_URL must be an https URL (or http on a loopback address)']);
    expect(JSON.stringify(faults)).not.toContain(address);
  });

  it('accepts a test server on a loopback address', () => {
    const { settings, faults } = read({ ...GOOGLE, GOOGLE_TOKEN_URL: 'http://127.0.0.1:9000/token' });
    expect([settings.google!.tokenUrl, faults]).toEqual(['http://127.0.0.1:9000/token', []]);
  });

  it('requires a userinfo address that the strategy understands', () => {
    const { faults } = read({ ...GOOGLE, GOOGLE_USERINFO_URL: 'https://www.googleapis.com/oauth2/v3/me' });
    expect(faults).toEqual(['GOOGLE_USERINFO_URL must end in /userinfo']);
  });

  it('accepts Apple’s key with line breaks or on one line, and no other kind of key', () => {
    const key = pem('P-256');
    for (const APPLE_PRIVATE_KEY of [key, key.replaceAll('\n', '\\n')]) {
      const { settings, faults } = read({ ...APPLE, APPLE_PRIVATE_KEY });
      expect([settings.apple!.privateKey, faults]).toEqual([key, []]);
    }
    for (const APPLE_PRIVATE_KEY of [pem('P-384'), 'garbage'])
      expect(read({ ...APPLE, APPLE_PRIVATE_KEY }).faults).toEqual([
        'APPLE_PRIVATE_KEY must be the PEM of a P-256 private key (the .p8 file)',
      ]);
  });
});

describe('offeredProviders', () => {
  it('returns the configured ones in the app’s order, once each', () => {
    const { settings } = read({ ...GOOGLE, GITHUB_CLIENT_ID: 'id', GITHUB_CLIENT_SECRET: 's' });
    const allowed = ['password', 'github', 'apple', 'google', 'github', 'constructor', 'saml'];
    expect(offeredProviders(settings, allowed)).toEqual(['github', 'google']);
  });
});
