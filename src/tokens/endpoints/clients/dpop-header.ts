/** The DPoP header in the OpenAPI document. */
export const DPOP_HEADER = {
  name: 'DPoP',
  required: false,
  description: 'Proof of a key that the tokens are bound to (RFC 9449), with the nonce of the header DPoP-Nonce',
} as const;

/** Refusals of a proof, where the other errors have no `error` (RFC 9449 section 8). */
export const PROOF_REFUSALS = 'a DPoP proof is refused with `error`: `invalid_dpop_proof` or `use_dpop_nonce`';
