import { isIP } from 'node:net';
import { isPublicAddress } from './address.rules.js';

/** Names that always mean this machine or its network, including the clouds' metadata services. */
const LOCAL_NAME =
  /(^|\.)(localhost|localdomain|local|internal|intranet|private|lan|home|corp|svc|cluster|consul|docker|arpa|metadata\.goog|metadata\.tencentyun\.com)$/;
/** RFC 1123 section 2.1, plus underscores. The last label is not a number, so that it is not an address. */
const NAME = /^(?:[a-z\d_](?:[a-z\d_-]{0,61}[a-z\d_])?\.)+(?=[a-z])[a-z\d-]{1,62}[a-z\d]$/;
const MAX_NAME_LENGTH = 253;

/** `name`: must be resolved, and its addresses checked. */
export type HostVerdict = 'name' | 'public address' | 'refused';

/**
 * Judges a host by its spelling only. The `URL` parser has already converted decimal, octal, hexadecimal and short
 * forms, full-width digits and escapes to the address.
 */
export function judgeHost({ hostname }: URL): HostVerdict {
  const literal = hostname.replace(/^\[|\]$/g, '');
  if (isIP(literal)) return isPublicAddress(literal) ? 'public address' : 'refused';
  const name = hostname.replace(/\.$/, '');
  return name.length <= MAX_NAME_LENGTH && NAME.test(name) && !LOCAL_NAME.test(name) ? 'name' : 'refused';
}
