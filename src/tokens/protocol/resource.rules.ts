import type { RegisteredClient } from '../../apps/directory/app-directory.js';
import { asksConsent } from '../../apps/settings/app-config.rules.js';
import type { ProtectedResource } from '../../tenants/protected-resource.rules.js';
import { grantedScope } from './scopes.rules.js';

/** The resources for which an app may request tokens: those in its settings that its tenant has. */
export function resourcesOf({ app, tenant }: Pick<RegisteredClient, 'app' | 'tenant'>): readonly ProtectedResource[] {
  const named = app.config.resources ?? [];
  return named.length === 0 ? [] : tenant.resources.filter(({ identifier }) => named.includes(identifier));
}

/** The resource's name for pages. */
export function nameOfResource({ tenant }: Pick<RegisteredClient, 'tenant'>, identifier: string): string {
  return tenant.resources.find((resource) => resource.identifier === identifier)?.name ?? identifier;
}

/** Null if the app may not request it, or there is none. Compared exactly. */
export function findResource(
  client: Pick<RegisteredClient, 'app' | 'tenant'>,
  identifier: string,
): ProtectedResource | null {
  return resourcesOf(client).find((resource) => resource.identifier === identifier) ?? null;
}

/**
 * As {@link findResource}, for tokens of the app's own server (client credentials). Null if the app asks its users for
 * consent: no user is asked for such a token (docs/decisions/0076).
 */
export function findServerResource(
  client: Pick<RegisteredClient, 'app' | 'tenant'>,
  identifier: string,
): ProtectedResource | null {
  return asksConsent(client.app) ? null : findResource(client, identifier);
}

/**
 * Those scopes of a token that the tenant still has at every resource of the token.
 * @param resources null: the app itself
 */
export function remainingScope(
  scope: string,
  { tenant }: Pick<RegisteredClient, 'tenant'>,
  resources: readonly (string | null)[],
): string {
  const cut = (held: string, identifier: string | null) =>
    grantedScope(held, tenant.resources.find((resource) => resource.identifier === identifier)?.scopes);
  return resources.reduce(cut, scope);
}
