import type { DiscoveryService } from '@nestjs/core';

type Kind<T> = abstract new (...parts: never[]) => T;

const instancesOf = new WeakMap<DiscoveryService, ReadonlySet<unknown>>();

/**
 * All providers of this process that extend `kind`, each once. A new one needs no registration.
 *
 * Call it when all providers exist: in a lifecycle hook or later. The list is read once.
 */
export function discover<T>(discovery: DiscoveryService, kind: Kind<T>): T[] {
  let instances = instancesOf.get(discovery);
  if (!instances) {
    instances = new Set(discovery.getProviders().map(({ instance }): unknown => instance));
    instancesOf.set(discovery, instances);
  }
  return [...instances].filter((instance): instance is T => instance instanceof kind);
}

/**
 * As {@link discover}, by name.
 * @throws if two have the same name. This is a wiring mistake: called at the start, the error prevents the process from
 * starting
 */
export function discoverByName<T>(
  discovery: DiscoveryService,
  kind: Kind<T>,
  nameOf: (provider: T) => string,
): ReadonlyMap<string, T> {
  const found = new Map<string, T>();
  for (const provider of discover(discovery, kind)) {
    const name = nameOf(provider);
    if (found.has(name)) throw new Error(`Two providers extend ${kind.name} under the name ${name}`);
    found.set(name, provider);
  }
  return found;
}
