/** Signature algorithms for clients: asymmetric, and those that FAPI 2.0 allows, plus RS256. */
export const CLIENT_SIGNING_ALGORITHMS = ['RS256', 'PS256', 'ES256', 'EdDSA', 'Ed25519'] as const;
export type ClientSigningAlgorithm = (typeof CLIENT_SIGNING_ALGORITHMS)[number];
