/** The kind of a refusal. Only the error filter knows its status code. */
export type RefusalKind =
  | 'bad_request'
  | 'unauthenticated'
  | 'forbidden'
  | 'not_found'
  | 'method_not_allowed'
  | 'conflict'
  | 'too_large'
  | 'misdirected'
  | 'unsupported_media_type'
  | 'invalid'
  | 'too_many_requests'
  | 'unavailable';

/** Why a route that accepts access tokens refuses a request (RFC 6750 section 3). */
export interface TokenChallenge {
  /** Error of a valid token; absent: the token is unknown, expired or revoked. */
  readonly error?: 'insufficient_scope' | 'insufficient_user_authentication';
  /** The required scope, if there is one. */
  readonly scope?: string;
  /** Maximum age of the last sign-in in seconds (RFC 9470 section 3). */
  readonly maxAge?: number;
}

/** Additional parts of the body and headers. */
export interface RefusalExtras {
  /** Error code of RFC 6749 section 5.2, shown in addition to `detail` at the OAuth endpoints. */
  readonly oauthError?: string;
  readonly oauthDescription?: string;
  /** Seconds for `Retry-After`. */
  readonly retryAfter?: number;
  /** For `WWW-Authenticate`: its value, or the error of the token. */
  readonly challenge?: string | TokenChallenge;
  /** Fields of the body in addition to `detail`. */
  readonly beside?: Readonly<Record<string, unknown>>;
}

/** An error for the caller: `detail` is the exact text (or object) of the specification's error table. */
export abstract class Refusal extends Error {
  constructor(
    readonly kind: RefusalKind,
    readonly detail: string | Readonly<Record<string, unknown>>,
    readonly extras: RefusalExtras = {},
  ) {
    super(typeof detail === 'string' ? detail : JSON.stringify(detail));
    this.name = new.target.name;
  }

  /**
   * Code by which pages distinguish refusals, derived from the class name, for example `user_already_exists`. Not part
   * of the API.
   */
  get code(): string {
    return this.name.replace(/(?<=[a-z])(?=[A-Z])/g, '_').toLowerCase();
  }
}
