/** Error codes of RFC 9449 sections 5, 7.1 and 8. */
export type DpopError = 'invalid_dpop_proof' | 'use_dpop_nonce' | 'invalid_token';

/** Why a proof is refused. The token endpoint and the resources report it in different ways. */
export class DpopFault extends Error {
  override readonly name = 'DpopFault';

  constructor(
    readonly code: DpopError,
    description: string,
  ) {
    super(description);
  }
}
