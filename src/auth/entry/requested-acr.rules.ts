import { meetsAcr, type RequestedAcr } from '../../tokens/protocol/acr.rules.js';
import { isByPasskey } from '../credentials/passkeys/stored/passkey.rules.js';

/** What a sign-in still takes to have one of the `acr` that its app asked for. */
export type AcrVerdict = 'met' | 'second_factor' | 'second_factor_setup' | 'acr_unmet';

/**
 * A wish is fulfilled where the user can; what is essential is fulfilled or ends the sign-in (OpenID Connect Core 3.1.2.1
 * and 5.5.1.1).
 * @param amr what has been shown so far (RFC 8176)
 * @param hasPasskey that a browser can use here
 */
export function judgeAcr(asked: RequestedAcr, amr: readonly string[], hasPasskey: boolean): AcrVerdict {
  if (asked.values.some((each) => meetsAcr(each, amr))) return 'met';
  // It makes two factors of any sign-in, and is phishing-resistant.
  if (hasPasskey && !isByPasskey(amr)) return 'second_factor';
  if (!asked.isEssential) return 'met';
  const isMetByCode = asked.values.some((each) => meetsAcr(each, [...amr, 'mfa']));
  return isMetByCode ? 'second_factor_setup' : 'acr_unmet';
}
