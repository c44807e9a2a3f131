import { describe, expect, it } from '@jest/globals';
import { isDirectAndPrivate } from '../../../../src/operations/metrics/direct-request.rules.js';

describe('Direct request from a private address', () => {
  it.each(['127.0.0.1', '::1', '::ffff:127.0.0.1', '10.1.2.3', '172.18.0.1', '192.168.1.9', '100.64.0.7', 'fd00::1'])(
    'is one from %s',
    (address) => {
      expect(isDirectAndPrivate(address, {})).toBe(true);
    },
  );

  it('is one from a link-local address with its zone', () => {
    expect(isDirectAndPrivate('fe80::1%eth0', {})).toBe(true);
  });

  it.each(['203.0.113.7', '::ffff:203.0.113.7', '2001:db8::1', '0.0.0.0', '', 'unix', undefined])(
    'is none from %j',
    (address) => {
      expect(isDirectAndPrivate(address, {})).toBe(false);
    },
  );

  it.each(['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-real-ip'])(
    'is none with the header %s, even if it is empty',
    (name) => {
      expect(isDirectAndPrivate('127.0.0.1', { [name]: '' })).toBe(false);
    },
  );
});
