import type { Acr } from '../protocol/acr.rules.js';
import type { UserClaims } from '../protocol/user-claims.rules.js';

/** Which kind of JWT it is, in the claim `token_use`: every endpoint takes exactly one. */
export type TokenUse = 'access' | 'service' | 'id' | 'logout' | StepTokenUse;

/** Tokens of a sign-in that is not finished yet. */
export type StepTokenUse = 'totp_session' | 'totp_setup';

export interface StepClaims {
  readonly token_use: StepTokenUse;
  /** User. */
  readonly sub: string;
  /** The issuer itself: no app is meant to read it. */
  readonly aud: string;
  /** App. */
  readonly client_id: string;
  /** Of a set-up token: the version of the account that it was made under; under another one it is void. */
  readonly credentials_version?: number;
  readonly iss: string;
  readonly exp: number;
  readonly iat: number;
  readonly jti: string;
}

/** Claims of an access token (docs/conventions.md, section 4; RFC 9068 for the header `typ: at+jwt`). */
export interface AccessClaims {
  readonly token_use: 'access';
  readonly sub: string;
  /** These three are absent where the user has not allowed the app to know them. */
  readonly email?: string;
  readonly email_verified?: boolean;
  readonly roles?: readonly string[];
  readonly aud: string;
  readonly iss: string;
  /** Unix seconds. */
  readonly exp: number;
  readonly iat: number;
  readonly jti: string;
  readonly tenant_id: string;
  readonly client_id: string;
  readonly scope?: string;
  readonly auth_time: number;
  /**
   * Unix milliseconds: when the sign-in was given its tokens, by the database's clock; the same in every token that
   * follows by refresh. See {@link signedInAtMs}. Absent in tokens of the version before.
   */
  readonly signed_in_at_ms?: number;
  /** The sign-in at the app, the same after each refresh: what is revoked. Absent in tokens of the version before. */
  readonly grant_id?: string;
  readonly amr: readonly string[];
  /** Absent after one factor. */
  readonly acr?: Acr;
  /** The key that the token is bound to; absent: it is a bearer token. */
  readonly cnf?: Confirmation;
  /** Which apps act for the user (RFC 8693 section 4.1): the token was exchanged, and `jti` names its record. */
  readonly act?: ActorClaim;
  /** The one app that may exchange the token (section 4.4). No token of ours has it. */
  readonly may_act?: { readonly sub: string };
}

/** An app, and the one before it that it got the token from. */
export interface ActorClaim {
  readonly sub: string;
  readonly act?: ActorClaim;
}

/** RFC 7800, and RFC 9449 section 6.1. */
export interface Confirmation {
  readonly jkt: string;
}

/** Claims of an ID token (OpenID Connect Core section 2), with what its scopes ask for of the user (section 5.4). */
export interface IdClaims extends UserClaims {
  readonly token_use: 'id';
  readonly sub: string;
  /** App. */
  readonly aud: string;
  readonly iss: string;
  readonly exp: number;
  readonly iat: number;
  readonly jti: string;
  readonly auth_time: number;
  readonly amr: readonly string[];
  readonly acr?: Acr;
  readonly nonce?: string;
  /** The browser session it came from. */
  readonly sid?: string;
}

/** Claims of a service token: `sub`, `client_id` and `aud` are the app. */
export interface ServiceClaims {
  readonly token_use: 'service';
  readonly sub: string;
  readonly client_id: string;
  readonly aud: string;
  readonly iss: string;
  readonly exp: number;
  readonly iat: number;
  readonly jti: string;
  readonly tenant_id: string;
  readonly scope: string;
  readonly cnf?: Confirmation;
}
