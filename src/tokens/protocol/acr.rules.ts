/** Two factors were used (OpenID Provider Authentication Policy Extension 1.0, section 4). */
export const MULTI_FACTOR = 'http://schemas.openid.net/pape/policies/2007/06/multi-factor';
/**
 * One of them was a passkey, which no other site can request (OpenID Connect EAP ACR Values 1.0: phishing-resistant).
 */
export const PHISHING_RESISTANT = 'phr';

/** Possible values of `acr`, the stronger first. A sign-in with one factor has none. */
export const ACR_VALUES = [PHISHING_RESISTANT, MULTI_FACTOR] as const;
export type Acr = (typeof ACR_VALUES)[number];

/** The supported values that an app requested, in order of preference. */
export interface RequestedAcr {
  readonly values: readonly Acr[];
  /**
   * True: without one of them the sign-in fails (OpenID Connect Core 5.5.1.1). False: they are voluntary (section
   * 3.1.2.1).
   */
  readonly isEssential: boolean;
}

/** @param values of any type, as in the request; unknown ones are left out */
export function knownAcrs(values: readonly unknown[]): Acr[] {
  const known = values.flatMap((value) => ACR_VALUES.find((each) => each === value) ?? []);
  return [...new Set(known)];
}

/**
 * The `acr` of a sign-in; null: none.
 * @param amr authentication methods (RFC 8176)
 * @param wanted by the app: the first that is met is returned
 */
export function acrOf(amr: readonly string[], wanted: readonly Acr[] = []): Acr | null {
  return [...wanted, ...ACR_VALUES].find((each) => meetsAcr(each, amr)) ?? null;
}

export function meetsAcr(acr: Acr, amr: readonly string[]): boolean {
  if (!amr.includes('mfa')) return false;
  return acr === MULTI_FACTOR || amr.includes('hwk') || amr.includes('swk');
}
