import type { App } from '../../../apps/app/app.entity.js';
import type { ClaimedUser } from '../../protocol/user-claims.rules.js';
import type { RequestedClaims } from '../../protocol/requested-claims.rules.js';

/** What a completed sign-in or refresh grants to an app: everything needed to issue the tokens. */
export interface Grant {
  readonly user: Omit<ClaimedUser, 'roles'> & { readonly id: string };
  readonly roles: readonly string[];
  readonly app: { readonly id: string; readonly tenantId: string; readonly tokenLifetimeMinutes: number };
  readonly authTime: Date;
  /** Refresh token family. */
  readonly familyId: string;
  /** When the refresh token family began, by the database's clock. Ending the family ends the access token. */
  readonly signedInAt: Date;
  readonly amr: readonly string[];
  /** Space-separated; null if the sign-in requested none. */
  readonly scope: string | null;
  /** Identifier of the protected resource of its access tokens; null: the app itself. */
  readonly resource: string | null;
  /** Claims that were requested individually, in addition to the scopes. */
  readonly claims: RequestedClaims | null;
  readonly nonce: string | null;
  /** Id of the browser session; null if there was none. */
  readonly sid: string | null;
  readonly refreshToken: string;
  /** Thumbprint of the key that the access token is bound to (RFC 9449); null: none. */
  readonly jkt: string | null;
}

/** How and where a user authenticated: the start of a refresh token family. The held proof identifies the user. */
export interface SignInFacts {
  readonly appId: string;
  readonly deviceId: string | null;
  readonly scope: string | null;
  readonly resource: string | null;
  readonly claims: RequestedClaims | null;
  readonly authTime: Date;
  readonly amr: readonly string[];
  /** Id of the browser session; null if there was none. */
  readonly sid: string | null;
  /** Thumbprint of the key that is required for refreshes; null: none. */
  readonly dpopJkt: string | null;
}

/** A completed sign-in of any kind, from which the first tokens are issued. */
export interface NewGrant extends Pick<Grant, 'user' | 'roles' | 'nonce' | 'jkt'> {
  readonly app: App;
  readonly facts: SignInFacts;
}
