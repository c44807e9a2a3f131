import type { RequestedClaims } from '../../protocol/requested-claims.rules.js';
import { WITHOUT_SCOPES } from '../../protocol/scopes.rules.js';

/** Without it there is nothing to consent to. */
export const ALWAYS_GRANTED = 'openid';

/** Nor is there anything to choose where refresh tokens come with every sign-in. */
export function isAlwaysGranted(scope: string): boolean {
  return scope === ALWAYS_GRANTED || scope === 'offline_access';
}

export function askedScopes(scope: string | null): string[] {
  return scope === null ? [...WITHOUT_SCOPES] : scope.split(' ').filter((each) => each !== '');
}

/** Whether the user has answered for each of the scopes before. */
export function isAnswered(asked: readonly string[], before: { readonly asked: readonly string[] } | null): boolean {
  return before !== null && asked.every((scope) => before.asked.includes(scope));
}

/** What is kept of a new answer and the one before: of what was not asked for now, that one still counts. */
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

/** Space-separated; '' where the user has allowed none. */
export function consentedScope(scope: string | null, allowed: readonly string[]): string {
  return askedScopes(scope)
    .filter((each) => isAlwaysGranted(each) || allowed.includes(each))
    .join(' ');
}

/** The user has consented to scopes and has not seen single claims. How strong the sign-in is says nothing about them. */
export function consentedClaims(claims: RequestedClaims | null): RequestedClaims | null {
  return claims?.acr ? { userinfo: {}, id_token: {}, acr: claims.acr } : null;
}
