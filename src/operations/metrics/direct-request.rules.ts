import type { IncomingHttpHeaders } from 'node:http';
import ipaddr from 'ipaddr.js';

/** Headers that proxies add (RFC 7239, RFC 9110 section 7.6.3, and common ones). */
const PROXY_HEADERS = ['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-real-ip'];
const PRIVATE_RANGES = new Set(['loopback', 'private', 'uniqueLocal', 'linkLocal', 'carrierGradeNat']);

/** Whether the request comes directly from a machine in a private network. */
export function isDirectAndPrivate(remoteAddress: string | undefined, headers: IncomingHttpHeaders): boolean {
  if (remoteAddress === undefined || PROXY_HEADERS.some((name) => headers[name] !== undefined)) return false;
  const address = remoteAddress.split('%', 1)[0]!; // without the zone of a link-local address
  return ipaddr.isValid(address) && PRIVATE_RANGES.has(ipaddr.process(address).range());
}
