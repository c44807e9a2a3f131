import { describe, expect, it } from '@jest/globals';
import { clientAddressKey, clientNetwork } from '../../../src/rate-limits/client-address.js';
import fc from '../../support/fast-check.js';

describe('clientAddressKey', () => {
  it.each([
    ['192.0.2.1', '192.0.2.1'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['::FFFF:c000:0201', '192.0.2.1'],
    ['0:0:0:0:0:ffff:c000:201', '192.0.2.1'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:0DB8:0001:0002::', '2001:db8:1:2::/64'],
    ['2001:db8::1', '2001:db8::/64'],
    ['2001:db8:0:1::1', '2001:db8:0:1::/64'],
    ['fe80::1%eth0', 'fe80::/64'],
    ['::1', '::/64'],
    ['64:ff9b::192.0.2.1', '64:ff9b::/64'],
  ])('counts %s as %s', (address, key) => {
    expect(clientAddressKey(address)).toBe(key);
  });

  it.each([null, undefined, '', 'localhost', '1.2.3', '2001:db8::1::2'])(
    'has one key for %p, which is not an address',
    (address) => {
      expect(clientAddressKey(address)).toBe('unknown');
    },
  );

  it('counts all addresses of one /64 together, and different /64s separately', () => {
    const group = fc.integer({ min: 1, max: 0xfffe });
    const half = fc.tuple(group, group, group, group);
    const text = (groups: readonly number[]) => groups.map((value) => value.toString(16)).join(':');
    fc.assert(
      fc.property(half, half, half, half, (net, host, otherNet, otherHost) => {
        const key = clientAddressKey(`${text(net)}:${text(host)}`);
        expect(clientAddressKey(`${text(net)}:${text(otherHost)}`)).toBe(key);
        expect(clientAddressKey(`${text(otherNet)}:${text(host)}`) === key).toBe(text(net) === text(otherNet));
      }),
    );
  });
});

describe('clientNetwork', () => {
  it.each([
    ['192.0.2.77', '192.0.2.0/24'],
    ['::ffff:192.0.2.77', '192.0.2.0/24'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1::/48'],
    ['2001:db8::1', '2001:db8:0::/48'],
    ['::1', '0:0:0::/48'],
    [null, 'unknown'],
  ])('returns the network of %p as %s', (address, network) => {
    expect(clientNetwork(address)).toBe(network);
  });
});
