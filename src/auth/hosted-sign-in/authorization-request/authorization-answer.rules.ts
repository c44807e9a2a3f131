import { withParameters } from '../../../apps/app/redirect-uri.rules.js';
import { withoutEmpty } from '../../../common/http/bodies/oauth-forms.js';
import type { ResponseMode } from '../../../tokens/protocol/authorization-endpoint.js';
import type { AuthorizationRequest } from './authorization-request.js';
import { type RawParameters, type RequestFault, responseModeOf } from './authorization-request.rules.js';

/** What an app gets at the end of a sign-in, a code or an error, and how it is delivered. */
export interface AuthorizationAnswer {
  readonly redirectUri: string;
  readonly mode: ResponseMode;
  /** Null: left out. */
  readonly parameters: Readonly<Record<string, string | null>>;
}

/** The address to redirect to; of a form the one that it is posted to. */
export function answerUri({ redirectUri, mode, parameters }: AuthorizationAnswer): string {
  if (mode === 'form_post' || answerFields(parameters).length === 0) return redirectUri;
  if (mode === 'query') return withParameters(redirectUri, parameters);
  // Registered addresses have no fragment of their own.
  return `${redirectUri}#${withParameters('', parameters).slice(1)}`;
}

export function answerFields(parameters: AuthorizationAnswer['parameters']): { name: string; value: string }[] {
  return Object.entries(parameters).flatMap(([name, value]) => (value === null ? [] : [{ name, value }]));
}

/** What is delivered instead of a code. In OpenID Connect's words where the request came in them. */
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
  Partial<Pick<AuthorizationRequest, 'responseMode'>>;

/** `state` is always echoed, and `iss` added where the request came in OpenID Connect's words (RFC 9207). */
export function answerTo(
  request: Answered,
  issuer: string,
  parameters: AuthorizationAnswer['parameters'],
): AuthorizationAnswer {
  const { redirectUri, state, openid, responseMode } = request;
  const iss = openid ? issuer : null;
  // A request that was saved before there were modes has none.
  return { redirectUri, mode: responseMode ?? 'query', parameters: { ...parameters, state, iss } };
}

export function failureAnswer(request: Answered, reason: FailureReason, issuer: string): AuthorizationAnswer {
  return answerTo(request, issuer, { error: request.openid ? (OPENID_NAMES[reason] ?? reason) : reason });
}

/** For faults of the request itself; `state` is echoed where it is one text. */
export function faultAnswer(
  given: RawParameters,
  redirectUri: string,
  { error, description }: RequestFault,
  issuer: string,
): AuthorizationAnswer {
  const raw = withoutEmpty(given);
  const state = typeof raw['state'] === 'string' ? raw['state'] : null;
  const openid = raw['response_type'] !== undefined || raw['client_id'] !== undefined;
  const responseMode = responseModeOf(raw, redirectUri) ?? 'query';
  return answerTo({ redirectUri, state, openid, responseMode }, issuer, { error, error_description: description });
}

/**
 * Where "Back to the app" leads on a page of an attempt. A link cannot post: where the answer is to travel in a form, it
 * leads to a page of ours that does. Null for who has typed the code of a device: they have not come from the app.
 */
export function backUri(
  { id, request }: { readonly id: string; readonly request: AuthorizationRequest },
  reason: FailureReason,
  issuer: string,
): string | null {
  if (request.purpose === 'device') return null;
  const answer = failureAnswer(request, reason, issuer);
  return answer.mode === 'form_post' ? `/sign-in/${id}/back?reason=${reason}` : answerUri(answer);
}
