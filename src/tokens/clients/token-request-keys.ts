import { Injectable } from '@nestjs/common';
import { AppDirectory } from '../../apps/directory/app-directory.js';
import { DpopFault } from '../dpop/dpop-fault.js';
import { DpopProofRefused } from '../dpop/dpop.errors.js';
import { DpopProofs, type ProvenRequest } from '../dpop/dpop-proofs.service.js';
import type { ClientCredentials } from './client-authenticator.js';

/** The key to which a token request binds its tokens (RFC 9449 section 5). Every token request uses this class. */
@Injectable()
export class TokenRequestKeys {
  constructor(
    private readonly proofs: DpopProofs,
    private readonly directory: AppDirectory,
  ) {}

  /**
   * The client with its key. The proof is used up only when the client has been authenticated or identified, so that
   * requests of unknown clients write nothing.
   * @throws DpopProofRefused, also if the app requires a proof and there is none
   */
  async of(request: ProvenRequest, client: ClientCredentials): Promise<ClientCredentials> {
    if (request.headers['dpop'] !== undefined) return this.read(request, client);
    const app = await this.directory.findByClientId(client.clientId);
    if (app?.app.config.dpop_bound_access_tokens)
      throw new DpopProofRefused({
        code: 'invalid_dpop_proof',
        message: 'Send a DPoP proof: this app requires DPoP-bound tokens',
      });
    return client;
  }

  /** As {@link of}, if a proof is optional. @throws DpopProofRefused */
  async read(request: ProvenRequest, client: ClientCredentials): Promise<ClientCredentials> {
    if (request.headers['dpop'] === undefined) return client;
    try {
      return { ...client, key: await this.proofs.check(request, null) };
    } catch (error) {
      throw error instanceof DpopFault ? new DpopProofRefused(error) : error;
    }
  }
}
