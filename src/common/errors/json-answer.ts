import type { Request } from 'express';
import { isRegistration, isStandardRequest } from '../http/bodies/oauth-forms.js';
import { isOAuthPath } from '../http/bodies/oauth-paths.js';
import { describeFaults, type InputFault } from '../validation/invalid-input.js';
import type { Failure } from './failure.js';

/** A description may contain the client's own words, which may be long. */
const MAX_DESCRIPTION_LENGTH = 500;

/** A failure as JSON: with `detail`, and at the OAuth endpoints also as in RFC 6749. */
export function jsonAnswer(
  request: Request,
  failure: Failure,
  requestId: string,
): { readonly status: number; readonly body: object } {
  if (!isOAuthPath(request.path)) return { status: failure.status, body: apiBody(failure, requestId) };
  const shown = asStandard(request, failure);
  return { status: shown.status, body: oauthBody(shown, requestId) };
}

function apiBody(failure: Failure, requestId: string): object {
  return { detail: failure.detail, ...failure.beside, ...(failure.isFault ? { request_id: requestId } : {}) };
}

/** The fields of RFC 6749 section 5.2, in addition to `detail`. */
function oauthBody(failure: Failure, requestId: string): object {
  const description = failure.oauthDescription ?? (typeof failure.detail === 'string' ? failure.detail : null);
  return {
    ...apiBody(failure, requestId),
    error: failure.oauthError,
    ...(description !== null && description !== failure.oauthError ? { error_description: cleaned(description) } : {}),
  };
}

/** Limits the text to the characters that `error_description` allows (RFC 6749 section 5.2). */
function cleaned(description: string): string {
  return description.replace(/[^\x20-\x21\x23-\x5b\x5d-\x7e]/gu, '?').slice(0, MAX_DESCRIPTION_LENGTH);
}

/**
 * A malformed request is 400 in OAuth, unless it is JSON, and so is every malformed request at /auth/register. The
 * description is made from the list of faults.
 */
function asStandard(request: Request, failure: Failure): Failure {
  if (failure.status !== 422 || typeof failure.detail === 'string') return failure;
  if (!isStandardRequest(request) && !isRegistration(request)) return failure;
  const oauthError = isRegistration(request) ? 'invalid_client_metadata' : failure.oauthError;
  return {
    ...failure,
    status: 400,
    oauthError,
    oauthDescription: describeFaults(failure.detail as readonly InputFault[]),
  };
}
