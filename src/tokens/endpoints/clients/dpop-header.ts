/** The DPoP header in the OpenAPI document. */
export const DPOP_HEADER = {
  name: 'DPoP',
  required: false,
  description: 'Proof of a key that the tokens are bound to (RFC 9449), with the nonce of the header DPoP-Nonce',
} as const;
