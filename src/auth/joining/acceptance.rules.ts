import { asksConsent } from '../../apps/settings/app-config.rules.js';
import { holderOfTokens } from '../access/access.rules.js';
import { acceptsMethods } from '../entry/methods/sign-in-methods.rules.js';

/** How a request identifies its user. */
export type UserIdentification =
  /** The active SSO session of the browser. */
  | { readonly kind: 'session' }
  /** Only the code of an invite that was mailed to the user. */
  | { readonly kind: 'mailed_code' }
  /** An access token that was issued for the app `audience`. */
  | { readonly kind: 'token'; readonly audience: { readonly id: string; tenantId: string; isConsoleApp: boolean } };

/** `amr` of a user who is identified by a mailed code (RFC 8176). */
export const MAILED_CODE_AMR: readonly string[] = ['email'];

/** The parts of the inviting app that these rules use. */
type InvitingClient = Parameters<typeof acceptsMethods>[0] & {
  readonly app: Parameters<typeof asksConsent>[0] & { readonly tenantId: string };
};

/**
 * Whether an acceptance with this identification may issue tokens of the inviting app. It never does for an app that asks
 * users for consent (docs/decisions/0076): JSON has no consent page, so users accept on the hosted page.
 *
 * An access token was issued for another app, and that app has it. The app must not gain more with the token than the
 * invite gives (ASVS 10.3.1). So a token of the same tenant can be used to join, but not to sign in to an app that the
 * user was already in, and a token for an app of another tenant is not accepted. A token of the inviting app itself,
 * even of a Console app, belongs to a member and does not sign in either: a server that has it for minutes (a resource
 * server) would get refresh tokens for weeks. A token of another Console app is accepted in every tenant.
 *
 * A mailed code is typed into the inviting app, which has the code from then on. So it gives that app what a sign-in
 * link by mail would, and nothing at a Console app, whose tokens can change the credentials of the account.
 */
export function carriesAcceptance(
  identification: UserIdentification,
  client: InvitingClient,
  joined: boolean,
): boolean {
  const { app } = client;
  if (asksConsent(app)) return false;
  if (identification.kind === 'session') return true;
  if (identification.kind === 'mailed_code') return !app.isConsoleApp && acceptsMethods(client, MAILED_CODE_AMR);
  const { audience } = identification;
  if (audience.isConsoleApp && audience.id !== app.id) return true;
  return audience.tenantId === app.tenantId && joined;
}

/**
 * Whether the response may also contain a token to set up a second factor, if the inviting app requires one. A second
 * factor belongs to the user in every tenant: an app that has a token of the user could set up its own and lock the
 * user out everywhere.
 * @param isFresh whether the sign-in is as recent as the account page requires
 */
export function carriesSetUp(identification: UserIdentification, isFresh: boolean): boolean {
  if (!isFresh || identification.kind === 'mailed_code') return false;
  return identification.kind === 'session' || identification.audience.isConsoleApp;
}

/**
 * The app whose server can send the request without the user (see `UserActor`): for an access token, the app that it
 * was issued for; for a mailed code, the inviting app, into which it is typed. Null: the user's own browser sends it,
 * or the token is for a Console app.
 */
export function viaAppOf(
  identification: UserIdentification,
  invitingApp: Parameters<typeof holderOfTokens>[0],
): string | null {
  if (identification.kind === 'session') return null;
  return identification.kind === 'token' ? holderOfTokens(identification.audience) : invitingApp.id;
}
