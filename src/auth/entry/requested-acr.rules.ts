import { meetsAcr, type RequestedAcr } from '../../tokens/protocol/acr.rules.js';
import { isByPasskey } from '../credentials/passkeys/stored/passkey.rules.js';

/**
 * What a sign-in still needs for one of the `acr` values that its app requested. `other_method`: it begins again with
 * another method, after which the passkey is the second factor.
 */
export type AcrVerdict = 'met' | 'second_factor' | 'second_factor_setup' | 'other_method' | 'acr_unmet';

/**
 * A voluntary `acr` makes the sign-in ask for a passkey if the user has one. An essential `acr` is met, or the sign-in
 * fails (OpenID Connect Core 3.1.2.1 and 5.5.1.1).
 * @param amr methods used so far (RFC 8176)
 * @param hasPasskey whether the user has a passkey that a browser can use here and the tenant accepts
 */
export function judgeAcr(requested: RequestedAcr, amr: readonly string[], hasPasskey: boolean): AcrVerdict {
  if (requested.values.some((each) => meetsAcr(each, amr))) return 'met';
  // With a passkey, any sign-in has two factors and is phishing-resistant.
  if (hasPasskey && !isByPasskey(amr)) return 'second_factor';
  if (!requested.isEssential) return 'met';
  const isMetByCode = requested.values.some((each) => meetsAcr(each, [...amr, 'mfa']));
  return isMetByCode ? 'second_factor_setup' : 'acr_unmet';
}
