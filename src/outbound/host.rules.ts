import { isIP } from 'node:net';
import { isPublicAddress } from './address.rules.js';

/** Names that mean this machine or its network wherever they are resolved; the clouds' metadata among them. */
const LOCAL_NAME =
  /(^|\.)(localhost|localdomain|local|internal|intranet|private|lan|home|corp|svc|cluster|consul|docker|arpa|metadata\.goog|metadata\.tencentyun\.com)$/;
/** RFC 1123 section 2.1, with the underscore that people use; the last label is no number, so it is no address. */
const NAME = /^(?:[a-z\d_](?:[a-z\d_-]{0,61}[a-z\d_])?\.)+(?=[a-z])[a-z\d-]{1,62}[a-z\d]$/;
const LONGEST_NAME = 253;

/** `name`: to be resolved and judged again by what comes of it. */
export type HostVerdict = 'name' | 'public address' | 'refused';

/**
 * What a host says by its spelling alone. The parser of `URL` has already read decimal, octal, hexadecimal and short
 * forms, fullwidth digits and escapes as the address that they mean.
 */
export function judgeHost({ hostname }: URL): HostVerdict {
  const literal = hostname.replace(/^\[|\]$/g, '');
  if (isIP(literal)) return isPublicAddress(literal) ? 'public address' : 'refused';
  const name = hostname.replace(/\.$/, '');
  return name.length <= LONGEST_NAME && NAME.test(name) && !LOCAL_NAME.test(name) ? 'name' : 'refused';
}
