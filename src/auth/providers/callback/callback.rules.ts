import type { ProviderFailure } from '../pages/prepared-request.js';
import type { ProviderStrategy } from '../protocol/provider-strategy.js';
import { reasonOf } from '../start/start.rules.js';

const MAX_CODE_LENGTH = 4096;

/**
 * Reads the result in a callback's URL, other than its state. passport-oauth2 cannot do this: it does not know `iss`
 * (RFC 9207), and redirects to the provider again if there is no code.
 * @returns `reason` for the log, if the URL is not one that the provider would send
 */
export function failureIn(
  { code, error, iss }: Readonly<Record<string, unknown>>,
  strategy: Pick<ProviderStrategy, 'acceptsIssuer'>,
): { readonly failure: ProviderFailure | null; readonly reason?: string } {
  if (iss !== undefined && (typeof iss !== 'string' || !strategy.acceptsIssuer(iss)))
    return { failure: 'unavailable', reason: 'the answer comes from another issuer' };
  if (typeof error === 'string') return { failure: failureOf(error) };
  if (typeof code !== 'string' || code === '' || code.length > MAX_CODE_LENGTH)
    return { failure: 'unavailable', reason: 'no code' };
  return { failure: null };
}

function failureOf(error: string): ProviderFailure {
  switch (reasonOf(error)) {
    case 'access_denied':
      return 'cancelled';
    case 'login_required':
      return 'not_signed_in';
    case 'provider_error':
      return 'unavailable';
  }
}
