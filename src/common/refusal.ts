/** What kind of no it is; only the error filter knows which status number that becomes. */
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

/** Why a route that takes access tokens refuses a request (RFC 6750 section 3). */
export interface TokenChallenge {
  /** Of a good token; absent: the token is none of ours, has expired or has been revoked. */
  readonly error?: 'insufficient_scope' | 'insufficient_user_authentication';
  /** What would be enough, where a scope is. */
  readonly scope?: string;
  /** Seconds since the last sign-in, at most (RFC 9470 section 3). */
  readonly maxAge?: number;
}

/** Additions to the body and headers that some refusals carry. */
export interface RefusalExtras {
  /** RFC 6749 section 5.2 code, shown beside `detail` at the OAuth endpoints. */
  readonly oauthError?: string;
  readonly oauthDescription?: string;
  /** Seconds, for `Retry-After`. */
  readonly retryAfter?: number;
  /** For `WWW-Authenticate`: its value, or what is wrong with the token. */
  readonly challenge?: string | TokenChallenge;
  /** Fields of the body beside `detail`. */
  readonly beside?: Readonly<Record<string, unknown>>;
}

/** A no that the caller is meant to read: `detail` is the exact text (or object) of the specification's error table. */
export abstract class Refusal extends Error {
  constructor(
    readonly kind: RefusalKind,
    readonly detail: string | Readonly<Record<string, unknown>>,
    readonly extras: RefusalExtras = {},
  ) {
    super(typeof detail === 'string' ? detail : JSON.stringify(detail));
    this.name = new.target.name;
  }

  /** What pages go by, whatever the words are: the name of the class, e.g. `user_already_exists`. Not on the wire. */
  get code(): string {
    return this.name.replace(/(?<=[a-z])(?=[A-Z])/g, '_').toLowerCase();
  }
}
