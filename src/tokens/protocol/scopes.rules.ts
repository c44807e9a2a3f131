/**
 * What a user's sign-in can be asked for: OpenID Connect Core 5.4 and 11, and the roles of the user in the app.
 * Scopes of the service itself (`push:send`) belong to apps and come by client credentials alone.
 */
export const USER_SCOPES = ['openid', 'profile', 'email', 'roles', 'offline_access'] as const;
export type UserScope = (typeof USER_SCOPES)[number];

/**
 * What is granted of the scopes that a sign-in asked for: those that exist and that a user can have. The answer says
 * which (RFC 6749 section 3.3), so that no app's server takes a word of the client's for a right of the user's.
 * @param ofResource the scopes of the protected resource that it is for
 * @returns '' where none is left, null where none was asked for
 */
export function grantedScope(asked: string, ofResource?: readonly string[]): string;
export function grantedScope(asked: string | null, ofResource?: readonly string[]): string | null;
export function grantedScope(asked: string | null, ofResource: readonly string[] = []): string | null {
  if (asked === null) return null;
  const isKnown = (scope: string) => USER_SCOPES.some((known) => known === scope) || ofResource.includes(scope);
  return [...new Set(asked.split(' '))].filter(isKnown).join(' ');
}

/** What a sign-in gets that asks for no scopes: everything that apps get to know of a user. */
export const WITHOUT_SCOPES: readonly string[] = ['profile', 'email', 'roles'];

/** A refresh may ask for less than the sign-in was granted (RFC 6749 section 6). */
export function narrowedScope(granted: string | null, asked: string | null): string | null {
  if (asked === null) return granted;
  const wanted = scopesIn(asked);
  return grantedScopes(granted)
    .filter((scope) => wanted.includes(scope))
    .join(' ');
}

/** Of the scopes that a refresh asks for the first one that the sign-in was not granted. */
export function firstBeyond(granted: string | null, asked: string): string | undefined {
  const held = grantedScopes(granted);
  return scopesIn(asked).find((scope) => !held.includes(scope));
}

/** @param granted null: the sign-in asked for no scopes */
function grantedScopes(granted: string | null): readonly string[] {
  return granted === null ? WITHOUT_SCOPES : scopesIn(granted);
}

function scopesIn(text: string): string[] {
  return text.split(' ').filter((scope) => scope !== '');
}
