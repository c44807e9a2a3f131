import type { ContextualRequest } from '../../../common/http/context.decorator.js';
import type { ProviderName } from '../../../config/provider-settings.js';
import type { AccountHolder } from '../../access/account-holder.service.js';
import type { SignInState } from '../../hosted-sign-in/attempts/sign-in-step.js';
import type { ExternalIdentity } from '../linked/external-identity.js';
import type { StartOptions } from '../protocol/provider-strategy.js';
import type { ProviderRequest } from '../state/provider-states.service.js';

/** Why a provider has not confirmed who the user is. */
export type ProviderFailure = 'cancelled' | 'not_signed_in' | 'unavailable' | 'not_allowed';

/** A sign-in attempt that uses a provider. */
export interface ProviderAttempt {
  readonly state: SignInState;
  /** Of the browser cookie. */
  readonly secret: string;
  readonly provider: ProviderName;
  /** Started on our page: then a failure leads back there, and otherwise to the app. */
  readonly fromPage: boolean;
}

/** What the provider is asked for: a sign-in, or a new link to the account of a signed-in user. */
export type ProviderPurpose =
  | { readonly kind: 'sign_in'; readonly attempt: ProviderAttempt }
  | { readonly kind: 'link'; readonly provider: ProviderName; readonly holder: AccountHolder };

/** A request that may go through Passport, and what the strategy is given. */
export interface Prepared {
  readonly purpose: ProviderPurpose;
  /** At the start; null at the callback. */
  readonly options: StartOptions | null;
  /** The address of the callback says itself that there is no identity. */
  readonly failure: ProviderFailure | null;
}

/** Where the strategy sends the browser. */
export interface ProviderRedirect {
  readonly location: string;
}

/** A request of a route with {@link ProviderAuthGuard}. */
export interface PreparedRequest extends ProviderRequest, ContextualRequest {
  /** Absent if the guard has answered the request. */
  prepared?: Prepared;
  /** At the start a redirect, at the callback an identity; or why there is none. */
  user?: ProviderRedirect | ExternalIdentity | ProviderFailure;
}
