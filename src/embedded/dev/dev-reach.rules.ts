import { isLoopbackHost } from '../../config/loopback.rules.js';

/**
 * Whether a /dev page may answer. `misdirected`: the Host header is not the service's own, as with a web page whose
 * name resolves to 127.0.0.1 (DNS rebinding). `outsider`: the request comes from another machine.
 */
export function judgeDevVisitor(
  visitor: { readonly host: string | undefined; readonly addresses: readonly (string | undefined)[] },
  ours: { readonly hosts: readonly string[]; readonly allowExposedDev: boolean },
): 'welcome' | 'misdirected' | 'outsider' {
  if (!visitor.host || !ours.hosts.includes(visitor.host.toLowerCase())) return 'misdirected';
  const isNear = visitor.addresses.every((address) => address !== undefined && isLoopbackHost(address));
  return isNear || ours.allowExposedDev ? 'welcome' : 'outsider';
}
