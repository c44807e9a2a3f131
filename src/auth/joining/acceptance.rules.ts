/** What a request says about who sends it. */
export type Evidence =
  /** The live SSO session of this browser. */
  | { readonly kind: 'session' }
  /** An access token, made for this app. */
  | { readonly kind: 'token'; readonly audience: { readonly id: string; tenantId: string; isConsoleApp: boolean } };

/**
 * Whether an access token may bring tokens of the inviting app. It was made for another app, which holds it: what that
 * app could gain with it must not exceed what the invite gives (ASVS 10.3.1). So a token of the same tenant serves to
 * join, but does not sign in to where the person was already, and one of another tenant's app does nothing. One of the
 * inviting app itself, a Console app too, belongs to a member: a server that sees it for minutes (a resource server)
 * would have refresh tokens for weeks.
 */
export function carriesAcceptance(
  evidence: Evidence,
  app: { readonly id: string; readonly tenantId: string },
  joined: boolean,
): boolean {
  if (evidence.kind === 'session') return true;
  const { audience } = evidence;
  if (audience.isConsoleApp && audience.id !== app.id) return true;
  return audience.tenantId === app.tenantId && joined;
}

/**
 * Whether it may bring what sets up a second factor as well, where the inviting app demands one. A second factor belongs
 * to the person, in every tenant: an app that holds a token of theirs could set up its own and lock them out everywhere.
 * @param isFresh whether they signed in as lately as the account page asks for
 */
export function carriesSetUp(evidence: Evidence, isFresh: boolean): boolean {
  return isFresh && (evidence.kind === 'session' || evidence.audience.isConsoleApp);
}
