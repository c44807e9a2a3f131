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
  /** The secret of the browser that the attempt is bound to. */
  readonly secret: string;
  readonly provider: ProviderName;
  /** Whether it was started on our sign-in page: a failure then leads back to that page, and otherwise to the app. */
  readonly fromPage: boolean;
}

/**
 * Why the browser is sent to the provider: for a sign-in, or to link an identity to the account of a signed-in user.
 */
export type ProviderPurpose =
  | { readonly kind: 'sign_in'; readonly attempt: ProviderAttempt }
  | { readonly kind: 'link'; readonly provider: ProviderName; readonly holder: AccountHolder };

/** A request that passes to Passport, with the options for the strategy. */
export interface PassportInput {
  readonly purpose: ProviderPurpose;
  /** Set at the start; null at the callback. */
  readonly options: StartOptions | null;
  /** Set if the URL of the callback already says that there is no identity. */
  readonly failure: ProviderFailure | null;
}

/** The URL to which the strategy sends the browser. */
export interface ProviderRedirect {
  readonly location: string;
}

/** A request of a route with {@link ProviderAuthGuard}. */
export interface PreparedRequest extends ProviderRequest, ContextualRequest {
  /** Absent if the guard has answered the request. */
  prepared?: PassportInput;
  /** A redirect at the start, an identity at the callback, or the reason why there is neither. */
  user?: ProviderRedirect | ExternalIdentity | ProviderFailure;
}
