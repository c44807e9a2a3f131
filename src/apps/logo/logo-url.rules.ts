/**
 * Why an address may not be an app's logo, or null. The service never fetches it, but the browsers of everybody who
 * signs in do: it must not lead them to a machine of their own network.
 */
export function judgeLogoUrl(address: string): string | null {
  if (!/^https:\/\/[^/]/.test(address) || !URL.canParse(address)) return 'Logo must be an https address';
  const url = new URL(address);
  if (url.username || url.password) return 'Logo address must not contain user information';
  const host = url.hostname.replace(/\.$/, '');
  const isLiteral = host.startsWith('[') || /^[\d.]+$/.test(host);
  const isLocal = !host.includes('.') || /\.(?:localhost|local|internal|home\.arpa)$/.test(host);
  return isLiteral || isLocal ? 'Logo address must name a public host' : null;
}
