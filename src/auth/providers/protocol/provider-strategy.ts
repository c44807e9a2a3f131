import type { ProviderName } from '../../../config/provider-settings.js';
import type { NewState } from '../state/provider-states.service.js';

/** Options for a strategy that sends a browser to its provider. */
export interface StartOptions {
  /** An object, so that the strategies pass it to their store and use the state that the store returns. */
  readonly state: NewState;
  readonly nonce: string;
  readonly loginHint: string | null;
  /** `none`, `login`, `consent` or `select_account`, separated by spaces; not every provider supports it. */
  readonly prompt: string | null;
}

/** A Passport strategy for one provider. It contains the protocol, and nothing about attempts, accounts or pages. */
export interface ProviderStrategy {
  authenticate(request: unknown, options: unknown): void;

  /** Whether the parameter `iss` of a callback (RFC 9207) is the issuer of this provider. */
  acceptsIssuer(iss: string): boolean;
}

/**
 * Each provider has its own callback, so that a code of one provider never reaches the callback of another (RFC 9700
 * section 4.4).
 */
export function callbackUrl(baseUrl: string, provider: ProviderName): string {
  return `${baseUrl}/oauth/${provider}/callback`;
}
