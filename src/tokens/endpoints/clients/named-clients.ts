import { Injectable } from '@nestjs/common';
import { ClientIds } from '../../../apps/self-registered/client-ids.service.js';
import { hashOpaqueToken } from '../../../crypto/opaque-token.js';
import { RefreshFamiliesRepository } from '../../grants/token-family/refresh-families.repository.js';
import { TokenVerifier } from '../../jwt/token-verifier.js';

/** Translates the `client_id` of a request to its app (see `ClientIds`). */
@Injectable()
export class NamedClients {
  constructor(
    private readonly clientIds: ClientIds,
    private readonly families: RefreshFamiliesRepository,
    private readonly verifier: TokenVerifier,
  ) {}

  /** @param token in the request; without a resource, it determines the tenant */
  find(clientId: string, { resource, token }: { resource: string | null; token: string | null }): Promise<string> {
    if (resource !== null || token === null) return this.clientIds.find(clientId, resource);
    return this.clientIds.findHolder(clientId, () => this.holderOf(token));
  }

  private async holderOf(token: string): Promise<string | null> {
    if (!token.includes('.')) return (await this.families.findByToken(hashOpaqueToken(token)))?.appId ?? null;
    const verification = await this.verifier.verifyIssued(token);
    return 'fault' in verification || verification.claims.token_use !== 'access' ? null : verification.claims.client_id;
  }
}
