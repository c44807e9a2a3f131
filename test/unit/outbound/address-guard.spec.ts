import { describe, expect, it } from '@jest/globals';
import { judgeLogoUrl } from '../../../src/apps/logo/logo-url.rules.js';
import { isPublicAddress } from '../../../src/outbound/address.rules.js';
import { judgeTargetUrl } from '../../../src/outbound/target-url.rules.js';
import {
  FORBIDDEN_ADDRESSES,
  FORBIDDEN_HOSTS,
  FORBIDDEN_PORTS,
  FORBIDDEN_URLS,
} from '../../support/forbidden-targets.js';

// security 95, 96, 97
describe('Outbound URL from a tenant', () => {
  it('is tested in more than eighty spellings', () => {
    expect(new Set(FORBIDDEN_HOSTS).size).toBeGreaterThan(80);
  });

  it.each(FORBIDDEN_HOSTS)('is rejected with the host %s', (host) => {
    expect(judgeTargetUrl(`https://${host}/hook`, false)).toMatch(/^URL must /);
    expect(judgeTargetUrl(`https://${host}:8443/hook`, false)).toMatch(/^URL must /);
    expect(judgeLogoUrl(`https://${host}/logo.png`)).toMatch(/^Logo /);
  });

  it.each([...FORBIDDEN_URLS, ...FORBIDDEN_PORTS])('is rejected as %j', (url) => {
    expect(judgeTargetUrl(url, false)).toMatch(/^URL must /);
  });

  it('is rejected above 2048 characters', () => {
    const url = `https://hooks.example.com/${'a'.repeat(2048)}`;
    expect(judgeTargetUrl(url.slice(0, 2048), false)).toBeNull();
    expect(judgeTargetUrl(url.slice(0, 2049), false)).toBe('URL is longer than 2048 characters');
  });

  it.each([
    'https://hooks.example.com/a?b=c',
    'https://hooks.example.com:443/',
    'https://hooks.example.com:8443/',
    'https://HOOKS.Example.com./',
    'https://bücher.example/',
    'https://xn--bcher-kva.example/',
    'https://10.example.com/',
    'https://local.example.com/',
    'https://a_b.example.com/',
    'https://hooks.example.com/user@host',
    'https://hooks.example.com/%31%32',
    'https://8.8.8.8/',
    'https://172.32.0.1/',
    'https://100.128.0.1/',
    'https://[2606:4700:4700::1111]/',
  ])('can be %s', (url) => expect(judgeTargetUrl(url, false)).toBeNull());

  it('can be private and without TLS if the operator allows it, and nothing else', () => {
    for (const url of ['http://127.0.0.1:4000/hook', 'http://localhost/', 'https://printer.local:9000/'])
      expect([url, judgeTargetUrl(url, true)]).toEqual([url, null]);
    for (const url of ['ftp://127.0.0.1/', 'http://user@127.0.0.1/', 'http://127.0.0.1/#a', 'http:127.0.0.1', 'x'])
      expect([url, judgeTargetUrl(url, true)]).toEqual([url, expect.stringMatching(/^URL must /)]);
  });
});

describe('Outbound IP address from DNS', () => {
  it.each(FORBIDDEN_ADDRESSES)('is rejected: %s', (address) => expect(isPublicAddress(address)).toBe(false));

  it.each(['', 'localhost', '127.1', '0x7f.1', '2130706433', '0127.0.0.1', '8.8.8', '8.8.8.8 ', '[::1]', '8.8.8.8/8'])(
    'must be a complete literal and not %j',
    (address) => expect(isPublicAddress(address)).toBe(false),
  );

  it.each(['8.8.8.8', '1.1.1.1', '93.184.215.14', '172.15.0.1', '2606:4700:4700::1111', '2a00:1450:4001::1'])(
    'can be %s',
    (address) => expect(isPublicAddress(address)).toBe(true),
  );
});
