import { withParameters } from '../../../apps/app/redirect-uri.rules.js';
import { withoutEmpty } from '../../../common/http/bodies/oauth-forms.js';
import type { ResponseMode } from '../../../tokens/protocol/authorization-endpoint.js';
import type { AuthorizationRequest } from './authorization-request.js';
import type { RawParameters, RequestFault } from './authorization-request.rules.js';
import { defaultModeFor, responseModeOf } from './response-mode.rules.js';

/** The response to an app at the end of a sign-in, a code or an error, and how it is sent. */
export interface AuthorizationResponse {
  readonly redirectUri: string;
  readonly mode: ResponseMode;
  /** Null values are left out. */
  readonly parameters: Readonly<Record<string, string | null>>;
}

/** The URL of the redirect, or to which the form is posted. */
export function responseUri({ redirectUri, mode, parameters }: AuthorizationResponse): string {
  if (mode === 'form_post' || responseFields(parameters).length === 0) return redirectUri;
  if (mode === 'query') return withParameters(redirectUri, parameters);
  // Registered redirect URIs have no fragment.
  return `${redirectUri}#${withParameters('', parameters).slice(1)}`;
}

export function responseFields(parameters: AuthorizationResponse['parameters']): { name: string; value: string }[] {
  return Object.entries(parameters).flatMap(([name, value]) => (value === null ? [] : [{ name, value }]));
}

/** Errors that are sent instead of a code, with OpenID Connect's names if the request used its parameters. */
export const FAILURE_REASONS = [
  'access_denied',
  'account_suspended',
  'approval_pending',
  'consent_required',
  'email_not_verified',
  'interaction_required',
  'registration_closed',
  'invalid_invite',
  'login_required',
  'provider_error',
  'server_error',
  'temporarily_unavailable',
  'unmet_authentication_requirements',
] as const;
export type FailureReason = (typeof FAILURE_REASONS)[number];

const OPENID_NAMES: Partial<Record<FailureReason, string>> = {
  account_suspended: 'access_denied',
  approval_pending: 'access_denied',
  email_not_verified: 'access_denied',
  registration_closed: 'access_denied',
  invalid_invite: 'access_denied',
  provider_error: 'temporarily_unavailable',
};

type Answered = Pick<AuthorizationRequest, 'redirectUri' | 'state' | 'openid'> &
  Partial<Pick<AuthorizationRequest, 'responseMode' | 'isUnasked'>>;

/**
 * `state` is always returned. `iss` is added if the request used OpenID Connect's parameters (RFC 9207), and to answers
 * that no app has asked for, which also reach clients that require it.
 */
export function responseTo(
  request: Answered,
  issuer: string,
  parameters: AuthorizationResponse['parameters'],
): AuthorizationResponse {
  const { redirectUri, state, openid, isUnasked, responseMode } = request;
  const iss = openid || isUnasked ? issuer : null;
  // A request that was saved by an earlier version has no response mode.
  return { redirectUri, mode: responseMode ?? 'query', parameters: { ...parameters, state, iss } };
}

export function errorResponse(request: Answered, reason: FailureReason, issuer: string): AuthorizationResponse {
  return responseTo(request, issuer, { error: request.openid ? (OPENID_NAMES[reason] ?? reason) : reason });
}

/** For errors of the request itself; `state` is returned if it is a single text. */
export function faultResponse(
  given: RawParameters,
  redirectUri: string,
  { error, description }: RequestFault,
  issuer: string,
): AuthorizationResponse {
  const raw = withoutEmpty(given);
  const state = typeof raw['state'] === 'string' ? raw['state'] : null;
  const openid = raw['response_type'] !== undefined || raw['client_id'] !== undefined;
  const responseMode = responseModeOf(raw, redirectUri) ?? defaultModeFor(raw['response_type']);
  return responseTo({ redirectUri, state, openid, responseMode }, issuer, { error, error_description: description });
}

/**
 * Target of "Back to the app" on a page of an attempt. A link cannot post: if the response mode is a form, it leads to
 * a page of the service that posts it. Null for a user who has typed the code of a device, because they have not come
 * from the app.
 */
export function backUri(
  { id, request }: { readonly id: string; readonly request: AuthorizationRequest },
  reason: FailureReason,
  issuer: string,
): string | null {
  if (request.purpose === 'device') return null;
  const response = errorResponse(request, reason, issuer);
  return response.mode === 'form_post' ? `/sign-in/${id}/back?reason=${reason}` : responseUri(response);
}
