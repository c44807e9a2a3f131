import { judgeHost } from '../../outbound/host.rules.js';

/**
 * Why an address may not be an app's logo, or null. The service never fetches it, but the browsers of everybody who
 * signs in do: it must not lead them to a machine of their own network. So a name, no address, and the judgement that
 * holds for what the service itself calls.
 */
export function judgeLogoUrl(address: string): string | null {
  if (!/^https:\/\/[^/]/.test(address) || !URL.canParse(address)) return 'Logo must be an https address';
  const url = new URL(address);
  if (url.username || url.password) return 'Logo address must not contain user information';
  return judgeHost(url) === 'name' ? null : 'Logo address must name a public host';
}
