import { asksConsent } from '../../apps/settings/app-config.rules.js';
import { holderOfTokens } from '../access/access.rules.js';
import { takesMethods } from '../entry/methods/sign-in-methods.rules.js';

/** What a request says about who sends it. */
export type Evidence =
  /** The live SSO session of this browser. */
  | { readonly kind: 'session' }
  /** Nothing but the code of an invite that was mailed to them. */
  | { readonly kind: 'mailed_code' }
  /** An access token, made for this app. */
  | { readonly kind: 'token'; readonly audience: { readonly id: string; tenantId: string; isConsoleApp: boolean } };

/** How the code of a mail shows who they are (RFC 8176). */
export const MAILED_CODE_AMR: readonly string[] = ['email'];

/** The inviting app, as far as it matters here. */
type InvitingClient = Parameters<typeof takesMethods>[0] & {
  readonly app: Parameters<typeof asksConsent>[0] & { readonly tenantId: string };
};

/**
 * Whether what a request shows may bring tokens of the inviting app. Nothing does where users are asked what the app may get
 * (docs/decisions/0076): JSON has no page for that, so they accept on the hosted page.
 *
 * An access token was made for another app, which holds it: what that app could gain with it must not exceed what the
 * invite gives (ASVS 10.3.1). So a token of the same tenant serves to join, but does not sign in to where the user was
 * already, and one of another tenant's app does nothing. One of the inviting app itself, a Console app too, belongs to a
 * member: a server that sees it for minutes (a resource server) would have refresh tokens for weeks.
 *
 * The code of a mail is typed into the inviting app, which holds it from then on: it brings what a sign-in link by mail would bring that
 * app, and nothing at a Console, whose tokens change the credentials of the account.
 */
export function carriesAcceptance(evidence: Evidence, client: InvitingClient, joined: boolean): boolean {
  const { app } = client;
  if (asksConsent(app)) return false;
  if (evidence.kind === 'session') return true;
  if (evidence.kind === 'mailed_code') return !app.isConsoleApp && takesMethods(client, MAILED_CODE_AMR);
  const { audience } = evidence;
  if (audience.isConsoleApp && audience.id !== app.id) return true;
  return audience.tenantId === app.tenantId && joined;
}

/**
 * Whether it may bring what sets up a second factor as well, where the inviting app demands one. A second factor belongs
 * to the user, in every tenant: an app that holds a token of theirs could set up its own and lock them out everywhere.
 * @param isFresh whether they signed in as lately as the account page asks for
 */
export function carriesSetUp(evidence: Evidence, isFresh: boolean): boolean {
  if (!isFresh || evidence.kind === 'mailed_code') return false;
  return evidence.kind === 'session' || evidence.audience.isConsoleApp;
}

/**
 * The app whose server may send it without them (see `UserActor`): the one that an access token was made for; of the code
 * of a mail the inviting app, into which it is typed. Null: their own browser does.
 */
export function viaAppOf(evidence: Evidence, invitingApp: Parameters<typeof holderOfTokens>[0]): string | null {
  if (evidence.kind === 'session') return null;
  return evidence.kind === 'token' ? holderOfTokens(evidence.audience) : invitingApp.id;
}
