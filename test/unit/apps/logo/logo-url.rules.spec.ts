import { describe, expect, it } from '@jest/globals';
import { judgeLogoUrl } from '../../../../src/apps/logo/logo-url.rules.js';

// security 95
describe('Logo URL of an app', () => {
  it.each([
    'https://example.com/logo.png',
    'https://cdn.example.co.uk:8443/a/b?c=d',
    'https://xn--bcher-kva.example/',
    'https://10.example.com/',
  ])('may be %s', (address) => expect(judgeLogoUrl(address)).toBeNull());

  it.each([
    'http://example.com/',
    'HTTPS:example.com',
    'https:///example.com',
    'https://',
    'https://user@example.com/',
    'https://127.0.0.1/',
    'https://127.1/',
    'https://0177.0.0.1/',
    'https://0x7f000001/',
    'https://10.0.0.1./',
    'https://8.8.8.8/',
    'https://[::1]/',
    'https://[fd00::1]/',
    'https://localhost:3000/',
    'https://a.localhost/',
    'https://LOCALHOST/',
    'https://router.home.arpa/',
    'https://nas.local/',
    'https://metadata.google.internal/',
    'https://intranet/',
    'ftp://example.com/',
    'data:image/png;base64,AAAA',
  ])('may not be %s', (address) => expect(judgeLogoUrl(address)).toMatch(/^Logo /));
});
