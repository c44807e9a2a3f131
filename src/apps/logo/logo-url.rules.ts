import { judgeHost } from '../../outbound/host.rules.js';
import { parseUrl } from '../../common/validation/parse-url.js';

/**
 * @returns why an address cannot be an app's logo, or null. The service fetches the picture and shows its own copy, but
 * other programs that read the app's settings may load it from there. Therefore the host must be a name, not an IP
 * address, and meet the rules for addresses that the service itself calls.
 */
export function judgeLogoUrl(address: string): string | null {
  const url = parseUrl(address);
  if (!url || !/^https:\/\/[^/]/.test(address)) return 'Logo must be an https address';
  if (url.username || url.password) return 'Logo address must not contain user information';
  return judgeHost(url) === 'name' ? null : 'Logo address must name a public host';
}
