import { HttpException } from '@nestjs/common';
import { type InputFault, InvalidInput } from '../validation/invalid-input.js';
import { isDatabaseAway } from './database-errors.js';
import { Refusal, type RefusalKind, type TokenChallenge } from '../refusal.js';

/** Any error, reduced to what the client may know. */
export interface Failure {
  readonly status: number;
  readonly detail: string | Readonly<Record<string, unknown>> | readonly InputFault[];
  /** Code of a refusal, see `Refusal.code`. */
  readonly code: string | null;
  readonly oauthError: string;
  readonly oauthDescription: string | null;
  /** In seconds. */
  readonly retryAfter: number | null;
  readonly challenge: string | TokenChallenge | null;
  /** Fields of the body in addition to `detail`. */
  readonly beside: Readonly<Record<string, unknown>>;
  /** An internal error: logged with its stack, which the answer does not contain. */
  readonly isFault: boolean;
}

const STATUS: Readonly<Record<RefusalKind, number>> = {
  bad_request: 400,
  unauthenticated: 401,
  forbidden: 403,
  not_found: 404,
  method_not_allowed: 405,
  conflict: 409,
  too_large: 413,
  unsupported_media_type: 415,
  misdirected: 421,
  invalid: 422,
  too_many_requests: 429,
  unavailable: 503,
};

const OAUTH_ERROR: Readonly<Record<number, string>> = {
  401: 'invalid_client',
  403: 'access_denied',
  429: 'too_many_requests',
  500: 'server_error',
  503: 'temporarily_unavailable',
};

const RETRY_AFTER_SECONDS = 2;

export function failureOf(error: unknown): Failure {
  if (error instanceof InvalidInput) return failure(422, error.faults);
  if (error instanceof Refusal) {
    const { oauthError, oauthDescription, retryAfter, challenge, beside } = error.extras;
    return {
      ...failure(STATUS[error.kind], error.detail, oauthError),
      code: error.code,
      oauthDescription: oauthDescription ?? null,
      retryAfter: retryAfter ?? null,
      challenge: challenge ?? null,
      beside: beside ?? {},
    };
  }
  if (error instanceof HttpException && error.getStatus() < 500)
    return failure(error.getStatus(), NAMES[error.getStatus()] ?? 'Bad Request');
  if (isDatabaseAway(error))
    return { ...failure(503, 'Service Unavailable'), retryAfter: RETRY_AFTER_SECONDS, isFault: true };
  return { ...failure(500, 'Internal Server Error'), isFault: true };
}

const NAMES: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  404: 'Not Found',
  405: 'Method Not Allowed',
  413: 'Payload Too Large',
  415: 'Unsupported Media Type',
};

function failure(status: number, detail: Failure['detail'], oauthError?: string): Failure {
  return {
    status,
    detail,
    code: null,
    oauthError:
      oauthError ?? (status === 400 || status === 422 ? 'invalid_request' : (OAUTH_ERROR[status] ?? 'invalid_request')),
    oauthDescription: null,
    retryAfter: null,
    challenge: null,
    beside: {},
    isFault: false,
  };
}
