import { isIPv4, isIPv6 } from 'node:net';

/** The key for an unknown address (a context without a request). */
const UNKNOWN = 'unknown';

/**
 * The key under which a client's address is counted: IPv4 unchanged (also if written as mapped IPv6), IPv6 by its /64,
 * because a single household or host has at least that many addresses.
 */
export function clientAddressKey(address: string | null | undefined): string {
  if (!address) return UNKNOWN;
  if (isIPv4(address)) return address;
  const bare = address.split('%')[0]!;
  if (!isIPv6(bare)) return UNKNOWN;
  const groups = expand(bare);
  if (groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff) {
    return [groups[6]! >> 8, groups[6]! & 0xff, groups[7]! >> 8, groups[7]! & 0xff].join('.');
  }
  const prefix = groups.slice(0, 4).map((group) => group.toString(16));
  while (prefix.at(-1) === '0') prefix.pop();
  return `${prefix.join(':')}::/64`;
}

/** The network of an address, for an approximate location: IPv4 /24, IPv6 /48. */
export function clientNetwork(address: string | null | undefined): string {
  const key = clientAddressKey(address);
  if (key === UNKNOWN) return UNKNOWN;
  if (isIPv4(key)) return `${key.split('.').slice(0, 3).join('.')}.0/24`;
  const groups = expand(key.slice(0, -'/64'.length)).slice(0, 3);
  return `${groups.map((group) => group.toString(16)).join(':')}::/48`;
}

/** The eight 16-bit groups of a valid IPv6 address. */
function expand(address: string): number[] {
  const [head, tail] = address.split('::') as [string, string?];
  const before = groupsOf(head);
  if (tail === undefined) return before;
  const after = groupsOf(tail);
  return [...before, ...new Array<number>(8 - before.length - after.length).fill(0), ...after];
}

function groupsOf(part: string): number[] {
  if (part === '') return [];
  return part.split(':').flatMap((group) => {
    if (!group.includes('.')) return [Number.parseInt(group, 16)];
    const [a, b, c, d] = group.split('.').map(Number) as [number, number, number, number];
    return [(a << 8) | b, (c << 8) | d];
  });
}
