import type { RegisteredClient } from '../../apps/app-directory.js';
import type { ProtectedResource } from '../../tenants/protected-resource.rules.js';

/** The resources that an app may ask tokens for: those that it names, of those that its tenant has. */
export function resourcesOf({ app, tenant }: Pick<RegisteredClient, 'app' | 'tenant'>): readonly ProtectedResource[] {
  const named = app.config.resources ?? [];
  return named.length === 0 ? [] : tenant.resources.filter(({ identifier }) => named.includes(identifier));
}

/** As people read it. */
export function nameOfResource({ tenant }: Pick<RegisteredClient, 'tenant'>, identifier: string): string {
  return tenant.resources.find((resource) => resource.identifier === identifier)?.name ?? identifier;
}

/** Null where the app may not ask for it, or there is none. Compared letter by letter. */
export function findResource(
  client: Pick<RegisteredClient, 'app' | 'tenant'>,
  identifier: string,
): ProtectedResource | null {
  return resourcesOf(client).find((resource) => resource.identifier === identifier) ?? null;
}
