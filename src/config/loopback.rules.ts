/** Whether a host is this machine: `localhost`, a subdomain of it, 127.0.0.0/8 or ::1, with or without brackets. */
export function isLoopbackHost(host: string): boolean {
  const name = host.toLowerCase().replace(/^\[|\]$/g, '');
  return name === '::1' || /^(?:[^.]+\.)*localhost$/.test(name) || /^(?:::ffff:)?127(?:\.\d{1,3}){3}$/.test(name);
}
