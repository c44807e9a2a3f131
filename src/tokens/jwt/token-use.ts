import type { Acr } from '../protocol/acr.rules.js';
import type { UserClaims } from '../protocol/user-claims.rules.js';

/** The kind of a JWT, in the claim `token_use`. Every endpoint accepts exactly one kind. */
export type TokenUse = 'access' | 'service' | 'id' | 'logout' | StepTokenUse;

/** Tokens of an unfinished sign-in. */
export type StepTokenUse = 'totp_session' | 'totp_setup';

export interface StepClaims {
  readonly token_use: StepTokenUse;
  /** User id. */
  readonly sub: string;
  /** The issuer itself, because no app should read it. */
  readonly aud: string;
  /** App id. */
  readonly client_id: string;
  /**
   * In a setup token: version of the account's credentials when it was issued. It is invalid under any other version.
   */
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
  /** These three are absent if the user has not allowed the app to know them. */
  readonly email?: string;
  readonly email_verified?: boolean;
  readonly roles?: readonly string[];
  readonly aud: string;
  readonly iss: string;
  /** In Unix seconds. */
  readonly exp: number;
  readonly iat: number;
  readonly jti: string;
  readonly tenant_id: string;
  /** As the client itself knows it. */
  readonly client_id: string;
  /** Only for a client that has registered itself: see `appIdOf`. */
  readonly app_id?: string;
  readonly scope?: string;
  readonly auth_time: number;
  /**
   * In Unix milliseconds: when the sign-in got its first tokens, by the database's clock; the same after each refresh.
   * See {@link signedInAtMs}. Absent in tokens of the previous version.
   */
  readonly signed_in_at_ms?: number;
  /**
   * The sign-in at the app, which can be revoked; the same after each refresh. Absent in tokens of the previous
   * version.
   */
  readonly grant_id?: string;
  readonly amr: readonly string[];
  /** Absent after a sign-in with one factor. */
  readonly acr?: Acr;
  /** The key that the token is bound to; absent: a bearer token. */
  readonly cnf?: Confirmation;
  /**
   * The apps that act for the user (RFC 8693 section 4.1): the token was exchanged, and `jti` identifies the record.
   */
  readonly act?: ActorClaim;
  /** The only app that may exchange the token (RFC 8693 section 4.4). This service issues no such token. */
  readonly may_act?: { readonly sub: string };
}

/** An app, and the app from which it got the token. */
export interface ActorClaim {
  readonly sub: string;
  readonly act?: ActorClaim;
}

/** RFC 7800, and RFC 9449 section 6.1. */
export interface Confirmation {
  readonly jkt: string;
}

/** Claims of an ID token (OpenID Connect Core section 2), with the user claims of its scopes (section 5.4). */
export interface IdClaims extends UserClaims {
  readonly token_use: 'id';
  readonly sub: string;
  /** App id. */
  readonly aud: string;
  readonly iss: string;
  readonly exp: number;
  readonly iat: number;
  readonly jti: string;
  readonly auth_time: number;
  readonly amr: readonly string[];
  readonly acr?: Acr;
  readonly nonce?: string;
  /** Id of the browser session. */
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
