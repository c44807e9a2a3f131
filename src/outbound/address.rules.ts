import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** The IPv6 range that is assigned for public unicast (RFC 4291 section 2.4). */
const GLOBAL_UNICAST = [ipaddr.IPv6.parse('2000::'), 3] as const;
/** A public address that Azure's network answers itself: the platform service of its machines. */
const FROM_WITHIN: ReadonlySet<string> = new Set(['168.63.129.16']);

/**
 * Whether the service may connect to this address on behalf of a tenant: public unicast only. Everything else is
 * refused: loopback, private, link-local (including cloud metadata services), carrier-grade NAT, multicast, reserved,
 * documentation, and all forms of IPv4 in IPv6.
 * @param address an IP literal as `net` accepts it without DNS; anything else is refused
 */
export function isPublicAddress(address: string): boolean {
  switch (isIP(address)) {
    case 4:
      return ipaddr.IPv4.parse(address).range() === 'unicast' && !FROM_WITHIN.has(address);
    case 6:
      return isPublicIpv6(address);
    default:
      return false;
  }
}

function isPublicIpv6(address: string): boolean {
  // A zone (`fe80::1%eth0`) names an interface of this machine.
  if (address.includes('%')) return false;
  const parsed = ipaddr.IPv6.parse(address);
  if (!parsed.match(GLOBAL_UNICAST[0], GLOBAL_UNICAST[1])) return false;
  return parsed.range() === 'unicast' && !isIsatap(parsed);
}

/** `…:0:5efe:a.b.c.d` (RFC 5214 section 6.1): an IPv4 address with any prefix. */
function isIsatap({ parts }: ipaddr.IPv6): boolean {
  return (parts[4]! & 0xfdff) === 0 && parts[5] === 0x5efe;
}
