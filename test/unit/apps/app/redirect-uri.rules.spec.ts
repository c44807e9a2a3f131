import { describe, expect, it } from '@jest/globals';
import {
  deliveryOf,
  judgeRegistration,
  matchesRedirectUri,
  redirectUrisOf,
  withParameters,
} from '../../../../src/apps/app/redirect-uri.rules.js';
import fc from '../../../support/fast-check.js';

describe('Registration of a redirect URI', () => {
  it.each([
    'https://app.example/callback',
    'https://app.example',
    'https://app.example:8443/callback?tab=1&x=%20',
    'https://xn--bcher-kva.example/cb',
    'http://127.0.0.1/cb',
    'http://127.0.0.1:4000/cb',
    'http://[::1]:4000/cb',
    'http://localhost:4000/cb',
    'com.example.app:/cb',
    'com.example.app://cb',
    'https://app.example/@ada',
    `https://app.example/${'a'.repeat(2028)}`,
  ])('accepts %s', (uri) => expect(judgeRegistration(uri, 'https://id.example')).toBeNull());

  it.each([
    ['javascript:', 'javascript:alert(1)'],
    ['javascript: in capitals', 'JavaScript:alert(1)'],
    ['data:', 'data:text/html,x'],
    ['vbscript:', 'vbscript:x'],
    ['file:', 'file:///etc/passwd'],
    ['blob:', 'blob:https://app.example/1'],
    ['about:', 'about:blank'],
    ['a fragment', 'https://app.example/#x'],
    ['an empty fragment', 'https://app.example/#'],
    ['user information', 'https://user:pass@app.example/'],
    ['a user alone', 'https://user@app.example/'],
    ['an empty user', 'https://@app.example/'],
    ['an empty user of a scheme of its own', 'com.example.app://@host/cb'],
    ['https without slashes', 'https:app.example/cb'],
    ['https with one slash', 'https:/app.example/cb'],
    ['http without slashes on loopback', 'http:localhost/cb'],
    ['https without a host', 'https:///app.example/cb'],
    ['a wildcard host', 'https://*.app.example/cb'],
    ['a wildcard path', 'https://app.example/*'],
    ['http', 'http://app.example/cb'],
    ['http on a private address', 'http://192.168.0.1/cb'],
    ['a host that begins like loopback', 'http://127.0.0.1.app.example/cb'],
    ['a host that begins like localhost', 'http://localhost.app.example/cb'],
    ['a scheme without a dot', 'myapp:/cb'],
    ['a relative address', '/cb'],
    ['no scheme', '//app.example/cb'],
    ['nothing', ''],
    ['a blank', 'https://app.example/a b'],
    ['a newline', 'https://app.example/a\nb'],
    ['a NUL', 'https://app.example/\0'],
    ['a backslash', 'https:\\\\app.example/'],
    ['a quote', 'https://app.example/"'],
    ['a tag', 'https://app.example/<script>'],
    ['a page of this service', 'https://id.example/console/logout'],
    ['a page of this service with its port', 'https://id.example:443/auth/magic-link/verify?token=x'],
    ['too many characters', `https://app.example/${'a'.repeat(2029)}`],
  ])('rejects %s with a reason', (_what, uri) =>
    expect(judgeRegistration(uri, 'https://id.example')).toMatch(/^(?:Redirect URI|Custom)/),
  );
});

describe('Match of a redirect URI', () => {
  const REGISTERED = [
    'https://app.example/cb?a=1',
    'http://127.0.0.1:4000/cb',
    'http://[::1]/cb',
    'http://localhost/cb',
  ];

  it('compares the bytes', () => {
    expect(matchesRedirectUri(REGISTERED, 'https://app.example/cb?a=1', 'https://id.example')).toBe(true);
    expect(matchesRedirectUri([], 'https://app.example/cb', 'https://id.example')).toBe(false);
  });

  it('accepts nothing else on https', () => {
    const near = fc.oneof(
      fc.webUrl({ withQueryParameters: true, withFragments: true }),
      fc.string().map((text) => `https://app.example/cb?a=1${text}`),
      fc.string().map((text) => `https://app.example${text}`),
      fc.string({ unit: 'binary' }),
    );
    fc.assert(
      fc.property(
        near,
        (uri) =>
          matchesRedirectUri(['https://app.example/cb?a=1'], uri, 'https://id.example') ===
          (uri === 'https://app.example/cb?a=1'),
      ),
    );
  });

  it('leaves only the port of a loopback address free', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 65_535 }), (port) => {
        expect(matchesRedirectUri(REGISTERED, `http://127.0.0.1:${port}/cb`, 'https://id.example')).toBe(true);
        expect(matchesRedirectUri(REGISTERED, `http://[::1]:${port}/cb`, 'https://id.example')).toBe(true);
        expect(matchesRedirectUri(REGISTERED, `http://127.0.0.1:${port}/cb/`, 'https://id.example')).toBe(false);
        expect(matchesRedirectUri(REGISTERED, `http://127.0.0.2:${port}/cb`, 'https://id.example')).toBe(false);
        expect(matchesRedirectUri(REGISTERED, `https://127.0.0.1:${port}/cb`, 'https://id.example')).toBe(false);
        expect(matchesRedirectUri(REGISTERED, `http://localhost:${port}/cb`, 'https://id.example')).toBe(true);
        expect(matchesRedirectUri(REGISTERED, `http://localhost:${port}/cb/`, 'https://id.example')).toBe(false);
      }),
    );
  });

  it.each([
    'http://127.0.0.1:65536/cb',
    'http://127.0.0.1:4000@evil.example/cb',
    'http://127.0.0.1:@evil.example/cb',
    'http://127.0.0.1.evil.example/cb',
    'http://127.0.0.1:40a0/cb',
    'http://localhost.app.example/cb',
    'http://localhost:@evil.example/cb',
    'http://127.0.0.1:4000\\@evil.example/cb',
  ])('does not treat %s as loopback', (uri) =>
    expect(matchesRedirectUri(REGISTERED, uri, 'https://id.example')).toBe(false),
  );
});

describe('Redirect URIs of an app', () => {
  it('are those that it registered', () => {
    const app = { isConsoleApp: false, config: { redirect_uris: ['https://app.example/cb'] } };
    expect(redirectUrisOf(app, 'https://id.example')).toEqual(['https://app.example/cb']);
  });

  it('are never pages of the service itself, except the app stand-in of the embedded mode', () => {
    const redirect_uris = ['https://id.example/console/logout', 'https://id.example/dev/playground'];
    const app = { isConsoleApp: false, config: { redirect_uris } };
    expect(redirectUrisOf(app, 'https://id.example')).toEqual(['https://id.example/dev/playground']);
  });

  it('of the Console are only its own callback', () => {
    const app = { isConsoleApp: true, config: { redirect_uris: ['https://evil.example/cb'] } };
    expect(redirectUrisOf(app, 'https://id.example')).toEqual(['https://id.example/console/callback']);
  });
});

describe('Delivery', () => {
  it.each([
    ['https://app.example/cb', 'query'],
    ['http://127.0.0.1/cb', 'query'],
    ['HTTPS://app.example/cb', 'query'],
    ['com.example.app:/cb', 'native'],
    ['https.example.app:/cb', 'native'],
  ])('to %s uses %s', (uri, delivery) => expect(deliveryOf(uri)).toBe(delivery));
});

describe('Parameters added to a redirect URI', () => {
  it.each([
    ['https://app.example/cb', 'https://app.example/cb?code=1'],
    ['https://app.example/cb?', 'https://app.example/cb?&code=1'],
    ['https://app.example/cb?a=1&b=%20', 'https://app.example/cb?a=1&b=%20&code=1'],
    ['com.example.app:/cb', 'com.example.app:/cb?code=1'],
  ])('of %s keep its query', (uri, expected) => {
    expect(withParameters(uri, { code: '1', state: null })).toBe(expected);
  });

  it('are unchanged for either way of reading a query', () => {
    const text = fc.string({ unit: 'grapheme' });
    fc.assert(
      fc.property(text, (state) => {
        const uri = withParameters('https://app.example/cb', { state });
        expect(new URL(uri).searchParams.get('state')).toBe(state);
        expect(decodeURIComponent(uri.split('state=')[1]!)).toBe(state);
      }),
    );
  });
});
