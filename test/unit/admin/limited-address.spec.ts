import { describe, expect, it } from '@jest/globals';
import { readLimitedAddress } from '../../../src/admin/users/limits/user-limits.rules.js';

describe('Parser of an address whose limits an operator looks up', () => {
  it.each([
    ['ada@example.com', { email: { typed: 'ada@example.com', canonical: 'ada@example.com' } }],
    ['203.0.113.7', { network: '203.0.113.7' }],
    ['2001:db8::1', { network: '2001:db8::/64' }],
    // As counters are named, and as the page of the limits shows them.
    ['2001:db8::/64', { network: '2001:db8::/64' }],
    ['2001:db8:1:2::/64', { network: '2001:db8:1:2::/64' }],
    ['2001:db8:1::/48', { network: '2001:db8:1::/48' }],
    ['2001:DB8:1:2::/48', { network: '2001:db8:1::/48' }],
    ['0190f2A1-0000-7000-8000-00000000000a', { client: '0190f2a1-0000-7000-8000-00000000000a' }],
    ['203.0.113.7/64', null],
    ['203.0.113.0/24', null],
    ['x::/64', null],
    ['a\u200bda@example.com', null],
    ['ada', null],
    ['', null],
  ])('reads %j as %j', (text, expected) => {
    expect(readLimitedAddress(text)).toEqual(expected);
  });
});
