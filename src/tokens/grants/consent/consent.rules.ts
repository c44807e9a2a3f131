import type { RequestedClaims } from '../../protocol/requested-claims.rules.js';
import { WITHOUT_SCOPES } from '../../protocol/scopes.rules.js';

/** Without this scope there is nothing to consent to. */
export const ALWAYS_GRANTED = 'openid';

/** `offline_access` cannot be refused either, because every sign-in gets refresh tokens. */
export function isAlwaysGranted(scope: string): boolean {
  return scope === ALWAYS_GRANTED || scope === 'offline_access';
}

export function requestedScopes(scope: string | null): string[] {
  return scope === null ? [...WITHOUT_SCOPES] : scope.split(' ').filter((each) => each !== '');
}

/** Whether the user has already answered for each of the scopes. */
export function isAnswered(
  requested: readonly string[],
  before: { readonly asked: readonly string[] } | null,
): boolean {
  return before !== null && requested.every((scope) => before.asked.includes(scope));
}

/** Combines a new answer with the previous one, which still applies to scopes that were not asked for now. */
export function mergedConsent(
  now: { readonly asked: readonly string[]; readonly scopes: readonly string[] },
  before: { readonly asked: readonly string[]; readonly scopes: readonly string[] } | null,
): { asked: string[]; scopes: string[] } {
  const rest = (before?.scopes ?? []).filter((scope) => !now.asked.includes(scope));
  return {
    asked: [...new Set([...(before?.asked ?? []), ...now.asked])],
    scopes: [...new Set([...rest, ...now.scopes])],
  };
}

/** Space-separated; '' if the user has allowed none. */
export function consentedScope(scope: string | null, allowed: readonly string[]): string {
  return requestedScopes(scope)
    .filter((each) => isAlwaysGranted(each) || allowed.includes(each))
    .join(' ');
}

/**
 * Removes single claims, because the user has consented to scopes and has not seen the claims. Keeps `acr`, which
 * contains no data of the user.
 */
export function consentedClaims(claims: RequestedClaims | null): RequestedClaims | null {
  return claims?.acr ? { userinfo: {}, id_token: {}, acr: claims.acr } : null;
}
