/**
 * Scopes for the sign-in of a user: OpenID Connect Core 5.4 and 11, and the user's roles in the app. Scopes of the
 * service itself (`push:send`) belong to apps and are only granted with client credentials.
 */
export const USER_SCOPES = ['openid', 'profile', 'email', 'roles', 'offline_access'] as const;
export type UserScope = (typeof USER_SCOPES)[number];

/**
 * The granted subset of the scopes that a sign-in requested: those that exist and that a user can have. The answer
 * contains it (RFC 6749 section 3.3), so that no server takes a scope that the client requested for a permission of the
 * user.
 * @param ofResource scopes of the protected resource
 * @returns '' if none remains, null if none was requested
 */
export function grantedScope(requested: string, ofResource?: readonly string[]): string;
export function grantedScope(requested: string | null, ofResource?: readonly string[]): string | null;
export function grantedScope(requested: string | null, ofResource: readonly string[] = []): string | null {
  if (requested === null) return null;
  const isKnown = (scope: string) => USER_SCOPES.some((known) => known === scope) || ofResource.includes(scope);
  return [...new Set(requested.split(' '))].filter(isKnown).join(' ');
}

/** What a sign-in without scopes gets: everything that apps can know of a user. */
export const WITHOUT_SCOPES: readonly string[] = ['profile', 'email', 'roles'];

/** A refresh may request less than the sign-in was granted (RFC 6749 section 6). */
export function narrowedScope(granted: string | null, requested: string | null): string | null {
  if (requested === null) return granted;
  const wanted = scopesIn(requested);
  return grantedScopes(granted)
    .filter((scope) => wanted.includes(scope))
    .join(' ');
}

/** Whether a granted scope (RFC 6749 section 3.3) contains this one. @param granted null: no scopes were requested */
export function hasScope(granted: string | null, scope: string): boolean {
  return granted?.split(' ').includes(scope) ?? false;
}

/** The first scope of a refresh that the sign-in was not granted. */
export function firstBeyond(granted: string | null, requested: string): string | undefined {
  const held = grantedScopes(granted);
  return scopesIn(requested).find((scope) => !held.includes(scope));
}

/** @param granted null: the sign-in requested no scopes */
function grantedScopes(granted: string | null): readonly string[] {
  return granted === null ? WITHOUT_SCOPES : scopesIn(granted);
}

function scopesIn(text: string): string[] {
  return text.split(' ').filter((scope) => scope !== '');
}
