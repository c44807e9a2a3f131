import { allowsTokenExchange } from '../../../apps/settings/app-config.rules.js';
import type { RegisteredClient } from '../../../apps/directory/app-directory.js';
import type { AccessClaims, ActorClaim } from '../../jwt/token-use.js';
import { findResource } from '../../protocol/resource.rules.js';
import { USER_SCOPES } from '../../protocol/scopes.rules.js';
import { appIdOf } from '../../jwt/token-app.rules.js';

/** RFC 8693 section 2.1. */
export const TOKEN_EXCHANGE_GRANT = 'urn:ietf:params:oauth:grant-type:token-exchange';
/** RFC 8693 section 3. */
export const ACCESS_TOKEN_TYPE = 'urn:ietf:params:oauth:token-type:access_token';
/** Maximum length of a chain of apps that act for a user. */
export const MAX_ACTORS = 4;

/** Conditions of an exchange, which must still hold when its token is used. */
export interface ExchangeLink {
  readonly servedResource: string | null;
  readonly resource: string;
}

/** Why a client may exchange a token: it was issued to the client, or is for a resource that the client serves. */
export function entitlementOf(
  claims: Pick<AccessClaims, 'app_id' | 'client_id' | 'aud' | 'tenant_id'>,
  client: RegisteredClient,
): { readonly servedResource: string | null } | null {
  if (claims.tenant_id !== client.app.tenantId) return null;
  if (appIdOf(claims) === client.app.id) return { servedResource: null };
  return servesResource(client, claims.aud) ? { servedResource: claims.aud } : null;
}

/** Whether the app serves a resource of its tenant. */
export function servesResource({ app, tenant }: Pick<RegisteredClient, 'app' | 'tenant'>, identifier: string): boolean {
  const isNamed = app.config.served_resources?.includes(identifier) ?? false;
  return isNamed && tenant.resources.some((each) => each.identifier === identifier);
}

/** Whether the app of an exchange may still do it. */
export function holdsStill(client: RegisteredClient | null, { servedResource, resource }: ExchangeLink): boolean {
  if (!client?.isOpen || !allowsTokenExchange(client.app)) return false;
  if (servedResource !== null && !servesResource(client, servedResource)) return false;
  return findResource(client, resource) !== null;
}

/** @returns why this client may not exchange the token, whatever it requests; null: it may */
export function judgeActor({ act, may_act }: Pick<AccessClaims, 'act' | 'may_act'>, clientId: string): string | null {
  if (may_act !== undefined && may_act.sub !== clientId) return 'The subject token names another app that may act';
  return depthOf(act) < MAX_ACTORS ? null : `At most ${MAX_ACTORS} apps can act for a user one behind the other`;
}

function depthOf(act: ActorClaim | undefined): number {
  return act === undefined ? 0 : 1 + depthOf(act.act);
}

/**
 * A token that is bound to a key cannot be exchanged for a bearer token (RFC 9449). A server that received it cannot
 * prove possession of its client's key, and uses its own key.
 * @param jkt of the client's DPoP key; null: none
 */
export function judgeBinding(
  claims: Pick<AccessClaims, 'cnf' | 'app_id' | 'client_id'>,
  clientId: string,
  jkt: string | null,
): string | null {
  const { cnf } = claims;
  if (cnf === undefined) return null;
  if (jkt === null) return 'The subject token is bound to a key: send a DPoP proof';
  return appIdOf(claims) === clientId && jkt !== cnf.jkt ? 'The subject token is bound to another key' : null;
}

/** Those scopes of a token that a token for this resource can have. The others require a sign-in. */
export function exchangeableScopes(held: string | undefined, ofResource: readonly string[]): string[] {
  const ofUser: readonly string[] = USER_SCOPES;
  const taken = (scope: string) => ofResource.includes(scope) || (ofUser.includes(scope) && !OF_SIGN_IN.has(scope));
  return [...new Set((held ?? '').split(' '))].filter(taken);
}

const OF_SIGN_IN: ReadonlySet<string> = new Set(['openid', 'offline_access']);
