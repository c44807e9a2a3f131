import type { App } from '../../../apps/app/app.entity.js';
import type { ClaimedUser } from '../../protocol/user-claims.rules.js';
import type { RequestedClaims } from '../../protocol/requested-claims.rules.js';

/** What a finished sign-in or refresh gives an app the right to: everything the tokens are made from. */
export interface Grant {
  readonly user: Omit<ClaimedUser, 'roles'> & { readonly id: string };
  readonly roles: readonly string[];
  readonly app: { readonly id: string; readonly tenantId: string; readonly tokenLifetimeMinutes: number };
  readonly authTime: Date;
  /** The refresh family. */
  readonly familyId: string;
  /** When the refresh family began, by the database's clock: what ends the family ends the access token. */
  readonly signedInAt: Date;
  readonly amr: readonly string[];
  /** Space-separated, null where the sign-in asked for none. */
  readonly scope: string | null;
  /** Identifier of the protected resource that its access tokens are for; null: the app itself. */
  readonly resource: string | null;
  /** Asked for one by one, whatever the scopes. */
  readonly claims: RequestedClaims | null;
  readonly nonce: string | null;
  /** The browser session it came from, null where there was none. */
  readonly sid: string | null;
  readonly refreshToken: string;
  /** Thumbprint of the key that the access token is bound to (RFC 9449); absent: to none. */
  readonly jkt?: string | null;
}

/** How a user proved who they are, and where: the beginning of a refresh family. The held proof says which user. */
export interface SignInFacts {
  readonly appId: string;
  readonly deviceId: string | null;
  readonly scope: string | null;
  readonly resource: string | null;
  readonly claims: RequestedClaims | null;
  readonly authTime: Date;
  readonly amr: readonly string[];
  /** The browser session it came from, null where there was none. */
  readonly sid: string | null;
  /** Thumbprint of the key without which it is not refreshed; absent: it needs none. */
  readonly dpopJkt?: string | null;
}

/** A sign-in that has been decided, by whichever way it came: what its first tokens are made from. */
export interface FinishedSignIn extends Pick<Grant, 'user' | 'roles' | 'nonce' | 'jkt'> {
  readonly app: App;
  readonly facts: SignInFacts;
}
