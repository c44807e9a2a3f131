import type { RequestedAcr } from '../../../tokens/protocol/acr.rules.js';
import type { ResponseMode } from '../../../tokens/protocol/authorization-endpoint.js';
import type { AccountPlace } from './account-places.js';

/** What an app asked for at /login, checked once and then carried by the attempt: forms cannot change it. */
export interface AuthorizationRequest {
  /** Where it ends: at an app, on the user's own account page, or on a device that waits elsewhere (RFC 8628). */
  readonly purpose: 'app' | 'account' | 'device';
  /** Id of that device's request. */
  readonly device?: string;
  /** Id of the user who has compared its code and allowed it: another user may sign in here later. */
  readonly deviceAllowedBy?: string;
  /** By the app itself before it sent the browser (RFC 9126). */
  readonly pushed?: boolean;
  readonly redirectUri: string;
  /** How the answer travels. */
  readonly responseMode: ResponseMode;
  readonly state: string | null;
  /** S256 challenge (RFC 7636). */
  readonly codeChallenge: string | null;
  /** Thumbprint of the key that the code is bound to (RFC 9449 section 10); absent: to none. */
  readonly dpopJkt?: string | null;
  readonly deviceId: string | null;
  /** Asked in OpenID Connect's words (`response_type=code`): native schemes get a code too, errors use its names. */
  readonly openid: boolean;
  /** Space-separated, null where not given. */
  readonly scope: string | null;
  /** Identifier of the protected resource that the tokens are to be for (RFC 8707); null: the app itself. */
  readonly resource?: string | null;
  /** The parameter `claims`, well-formed; null where not given. */
  readonly claims?: string | null;
  /** How strong the sign-in is to be; null: the app did not say, or the user went on without it. */
  readonly acr?: RequestedAcr | null;
  readonly nonce: string | null;
  readonly loginHint: string | null;
  /** `login` forces credentials, `none` forbids any page. */
  readonly prompt: 'login' | 'none' | null;
  /**
   * What a signed-in user is asked before the sign-in continues: `account` asks which account to use,
   * `consent` whether the app may know them, also after credentials given here. Null once they have answered.
   */
  readonly confirm?: 'account' | 'consent' | null;
  /** Id of the user who has answered what the app may get: another user may sign in here later. */
  readonly consentedBy?: string;
  /** Likewise, where they allowed nothing. */
  readonly consentDeniedBy?: string;
  /** Id of the user who was told that their account will be deleted, and continues: another user may sign in here later. */
  readonly deletionSeenBy?: string;
  /** A new user is expected: the page to create an account comes first, if the app allows registration. */
  readonly create?: boolean;
  /** The only user who may come back (`id_token_hint`, or `sub` with values in `claims`). Null: any user. */
  readonly subject: string | readonly string[] | null;
  /** Carried through to the step that joins the app. */
  readonly inviteCode: string | null;
  /** Languages that the app would like the pages in, best first. */
  readonly uiLocales?: string | null;
  /** Seconds since the last credentials, at most. */
  readonly maxAge: number | null;
}

/** As an app sends it that asks for nothing but a sign-in. */
export function plainRequest(redirectUri: string): AuthorizationRequest {
  return { ...OUR_OWN, purpose: 'app', redirectUri };
}

/** For a user who comes with an invite and not from the app. @param email where it was mailed to */
export function invitedRequest(redirectUri: string, inviteCode: string, email: string | null): AuthorizationRequest {
  return { ...OUR_OWN, purpose: 'app', redirectUri, inviteCode, loginHint: email };
}

/**
 * For a user who wants to see their own account.
 * @param fresh credentials are asked for in any case
 * @param place page of the account to end on, null for its first
 */
export function accountRequest(baseUrl: string, fresh: boolean, place: AccountPlace | null): AuthorizationRequest {
  const redirectUri = `${baseUrl}/account${place ? `/${place}` : ''}`;
  return { ...OUR_OWN, purpose: 'account', redirectUri, prompt: fresh ? 'login' : null };
}

/** For a user who has typed the code of a device. @param id of the device's request */
export function deviceRequest(baseUrl: string, id: string): AuthorizationRequest {
  return { ...OUR_OWN, purpose: 'device', redirectUri: `${baseUrl}/device`, device: id };
}

/**
 * What a mailed link may carry into another browser. Not the wait of a device: an attacker could have their own device allowed by
 * a user who has never seen its code, with a link that the service itself mails. The user signs in, and types the code of their device.
 */
export function mailedRequest(request: AuthorizationRequest): AuthorizationRequest {
  if (request.purpose !== 'device') return request;
  const { redirectUri, uiLocales } = request;
  return { ...OUR_OWN, purpose: 'account', redirectUri, uiLocales };
}

/**
 * For a sign-in that begins again: what the user has allowed on the way is asked again. Whether they were asked for an account or a
 * consent by `prompt`, or for an `acr`, is overwritten when they answer, so that is not.
 */
export function askedAgain(request: AuthorizationRequest): AuthorizationRequest {
  const { deviceAllowedBy: _, consentedBy: __, consentDeniedBy: ___, deletionSeenBy: ____, ...asked } = request;
  return asked;
}

/** Whether this user may come back. Attempts that an earlier version saved name one user instead of a list, or have no such member. */
export function isMeant({ subject }: { readonly subject?: AuthorizationRequest['subject'] }, userId: string): boolean {
  return (subject ?? null) === null || [subject].flat().includes(userId);
}

/** Whether it ends on a page of ours: then no address of the app's counts. */
export function endsHere({ purpose }: Pick<AuthorizationRequest, 'purpose'>): boolean {
  return purpose !== 'app';
}

/** A sign-in that no app has asked for. */
const OUR_OWN = {
  responseMode: 'query',
  state: null,
  codeChallenge: null,
  deviceId: null,
  openid: false,
  scope: null,
  nonce: null,
  loginHint: null,
  subject: null,
  inviteCode: null,
  prompt: null,
  maxAge: null,
} as const;
