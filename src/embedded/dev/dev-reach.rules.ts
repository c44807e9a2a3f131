import { isLoopbackHost } from '../../config/loopback.rules.js';

/**
 * Whether a /dev page may answer. `misdirected`: asked for under another name than our own, as a web page does that has
 * its name resolve to 127.0.0.1 (DNS rebinding). `outsider`: from another machine.
 */
export function judgeDevVisitor(
  visitor: { readonly host: string | undefined; readonly addresses: readonly (string | undefined)[] },
  ours: { readonly hosts: readonly string[]; readonly allowExposedDev: boolean },
): 'welcome' | 'misdirected' | 'outsider' {
  if (!visitor.host || !ours.hosts.includes(visitor.host.toLowerCase())) return 'misdirected';
  const isNear = visitor.addresses.every((address) => address !== undefined && isLoopbackHost(address));
  return isNear || ours.allowExposedDev ? 'welcome' : 'outsider';
}
