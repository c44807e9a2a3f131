import type { ProviderName } from '../../../config/provider-settings.js';
import type { NewState } from '../state/provider-states.service.js';

/** What a strategy is given when it sends a browser to its provider. */
export interface StartOptions {
  /** An object, so the strategies hand it to their store and put the store's answer into the address. */
  readonly state: NewState;
  readonly nonce: string;
  readonly loginHint: string | null;
  /** `none`, `login`, `consent` or `select_account`, several separated by blanks; not every provider knows it. */
  readonly prompt: string | null;
}

/** A Passport strategy for one provider. It knows the protocol, and nothing of attempts, accounts or pages. */
export interface ProviderStrategy {
  authenticate(request: unknown, options: unknown): void;

  /** Whether `iss` beside a code (RFC 9207) is this provider's. */
  acceptsIssuer(iss: string): boolean;
}

/** One callback for each: a code of one provider never reaches the callback of another (RFC 9700 section 4.4). */
export function callbackUrl(baseUrl: string, provider: ProviderName): string {
  return `${baseUrl}/oauth/${provider}/callback`;
}
