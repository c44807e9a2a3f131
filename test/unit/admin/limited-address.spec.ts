import { describe, expect, it } from '@jest/globals';
import { readLimitedAddress } from '../../../src/admin/people/user-limits.rules.js';

describe('an address whose limits somebody asks for', () => {
  it.each([
    ['ada@example.com', { email: { typed: 'ada@example.com', canonical: 'ada@example.com' } }],
    ['203.0.113.7', { network: '203.0.113.7' }],
    ['2001:db8::1', { network: '2001:db8::1' }],
    // As counters are named, and as the page of the limits shows them.
    ['2001:db8::/64', { network: '2001:db8::' }],
    ['2001:db8:1:2::/64', { network: '2001:db8:1:2::' }],
    ['203.0.113.7/64', null],
    ['203.0.113.0/24', null],
    ['x::/64', null],
    ['a\u200bda@example.com', null],
    ['ada', null],
    ['', null],
  ])('%j is %j', (text, expected) => {
    expect(readLimitedAddress(text)).toEqual(expected);
  });
});
