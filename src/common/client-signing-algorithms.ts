/** How clients may sign: asymmetric, and nothing weaker than what FAPI 2.0 asks for, RS256 aside. */
export const CLIENT_SIGNING_ALGORITHMS = ['RS256', 'PS256', 'ES256', 'EdDSA', 'Ed25519'] as const;
export type ClientSigningAlgorithm = (typeof CLIENT_SIGNING_ALGORITHMS)[number];
