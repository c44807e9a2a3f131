import type { RequestedAcr } from '../../../tokens/protocol/acr.rules.js';
import type { ResponseMode } from '../../../tokens/protocol/authorization-endpoint.js';
import type { AccountSection } from './account-sections.js';

/** The request of an app at /login, validated once and then stored in the attempt, so that forms cannot change it. */
export interface AuthorizationRequest {
  /** Where it ends: at an app, on the user's own account page, or on a device that waits elsewhere (RFC 8628). */
  readonly purpose: 'app' | 'account' | 'device';
  /** Id of that device's request. */
  readonly device?: string;
  /** Id of the user who has compared and allowed the device's code: another user may sign in here later. */
  readonly deviceAllowedBy?: string;
  /** Whether the app itself pushed the request before (RFC 9126). */
  readonly pushed?: boolean;
  readonly redirectUri: string;
  /** How the response is sent. */
  readonly responseMode: ResponseMode;
  readonly state: string | null;
  /** S256 challenge (RFC 7636). */
  readonly codeChallenge: string | null;
  /** Thumbprint of the key that the code is bound to (RFC 9449 section 10); absent: none. */
  readonly dpopJkt?: string | null;
  readonly deviceId: string | null;
  /**
   * The request used OpenID Connect's parameters (`response_type=code`): native schemes get a code too, and errors use
   * its names.
   */
  readonly openid: boolean;
  /** Begun at the service, without a request of the app. Absent: the app has sent a request. */
  readonly isUnasked?: boolean;
  /** Space-separated, null where not given. */
  readonly scope: string | null;
  /** Identifier of the protected resource of the tokens (RFC 8707); null: the app itself. */
  readonly resource?: string | null;
  /** The parameter `claims`, well-formed; null where not given. */
  readonly claims?: string | null;
  /** Requested strength of the sign-in; null: not requested, or the user continued without it. */
  readonly acr?: RequestedAcr | null;
  readonly nonce: string | null;
  readonly loginHint: string | null;
  /** `login` requires credentials, `none` forbids any page. */
  readonly prompt: 'login' | 'none' | null;
  /**
   * The question to a signed-in user before the sign-in continues: `account` asks which account to use, `consent`
   * whether the app may know them, also after a new authentication.
   */
  readonly confirm?: 'account' | 'consent' | null;
  /** Id of the user who has answered `confirm`: another user may sign in here later. */
  readonly confirmedBy?: string;
  /** Id of the user who has answered the consent page: another user may sign in here later. */
  readonly consentedBy?: string;
  /** Id of the user who has allowed nothing on the consent page. */
  readonly consentDeniedBy?: string;
  /** Id of the user who continues although their account will be deleted: another user may sign in here later. */
  readonly deletionSeenBy?: string;
  /** A new user is expected: the page to create an account is shown first, if the app allows registration. */
  readonly create?: boolean;
  /** The only user who may be returned (`id_token_hint`, or `sub` with values in `claims`). Null: every user. */
  readonly subject: string | readonly string[] | null;
  /** Used by the step that joins the app. */
  readonly inviteCode: string | null;
  /** Languages for the pages that the app requests, in order of preference. */
  readonly uiLocales?: string | null;
  /** Maximum number of seconds since the last authentication. */
  readonly maxAge: number | null;
}

/** The request of an app that only asks for a sign-in. */
export function plainRequest(redirectUri: string): AuthorizationRequest {
  return { ...OUR_OWN, purpose: 'app', redirectUri };
}

/**
 * For a user who follows an invite.
 * @param email recipient of the invite
 */
export function invitedRequest(redirectUri: string, inviteCode: string, email: string | null): AuthorizationRequest {
  return { ...OUR_OWN, purpose: 'app', redirectUri, inviteCode, loginHint: email };
}

/**
 * For a user who opens their own account.
 * @param fresh credentials are always asked for
 * @param section page of the account to end on, null for its first
 */
export function accountRequest(baseUrl: string, fresh: boolean, section: AccountSection | null): AuthorizationRequest {
  const redirectUri = `${baseUrl}/account${section ? `/${section}` : ''}`;
  return { ...OUR_OWN, purpose: 'account', redirectUri, prompt: fresh ? 'login' : null };
}

/**
 * For a user who has typed the code of a device.
 * @param id of the device's request
 */
export function deviceRequest(baseUrl: string, id: string): AuthorizationRequest {
  return { ...OUR_OWN, purpose: 'device', redirectUri: `${baseUrl}/device`, device: id };
}

/**
 * The part of a request that a mailed link may carry into another browser. Not a waiting device: otherwise an attacker
 * could have their own device allowed by a user who has never seen its code, with a link that the service itself mails.
 * The user signs in, and then types the code of their device.
 */
export function mailedRequest(request: AuthorizationRequest): AuthorizationRequest {
  if (request.purpose !== 'device') return request;
  const { redirectUri, uiLocales } = request;
  return { ...OUR_OWN, purpose: 'account', redirectUri, uiLocales };
}

/**
 * For a sign-in that begins again: asks again for what the user has allowed. The questions of `prompt` and `acr` are
 * not repeated to the user who has answered them.
 */
export function renewedRequest(request: AuthorizationRequest): AuthorizationRequest {
  const { deviceAllowedBy: _, consentedBy: __, consentDeniedBy: ___, deletionSeenBy: ____, ...asked } = request;
  return asked;
}

/** Whether this user may be returned. Attempts of an earlier version contain one user instead of a list, or none. */
export function isMeant({ subject }: { readonly subject?: AuthorizationRequest['subject'] }, userId: string): boolean {
  return (subject ?? null) === null || [subject].flat().includes(userId);
}

/** The question of the app that this user has not answered; null: none. */
export function openConfirmation(
  { confirm = null, confirmedBy }: AuthorizationRequest,
  userId: string | undefined,
): 'account' | 'consent' | null {
  return confirmedBy !== undefined && confirmedBy === userId ? null : confirm;
}

/** Whether it ends on a page of the service, so that no redirect URI of the app is needed. */
export function endsHere({ purpose }: Pick<AuthorizationRequest, 'purpose'>): boolean {
  return purpose !== 'app';
}

/** A sign-in that no app has requested. */
const OUR_OWN = {
  responseMode: 'query',
  state: null,
  codeChallenge: null,
  deviceId: null,
  openid: false,
  isUnasked: true,
  scope: null,
  nonce: null,
  loginHint: null,
  subject: null,
  inviteCode: null,
  prompt: null,
  maxAge: null,
} as const;
