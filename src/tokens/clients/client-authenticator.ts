import { Injectable } from '@nestjs/common';
import { AppDirectory, type RegisteredClient } from '../../apps/app-directory.js';
import { ClientSecrets } from '../../apps/client-secrets.js';
import type { RequestContext } from '../../common/request-context.js';
import { isUuid } from '../../common/validation/fields.js';
import { matchesHash } from '../../crypto/opaque-token.js';
import { InvalidClient } from '../protocol/tokens.errors.js';
import { RefusedClients } from './refused-clients.js';

/** Compared against for unknown clients: the same work on a miss. */
const NO_HASH = Buffer.alloc(32);
const NO_ID = '00000000-0000-0000-0000-000000000000';

export interface ClientCredentials {
  readonly clientId: string;
  readonly clientSecret: string | null;
}

/** An open app that has proven its secret. */
export interface AuthenticatedClient extends RegisteredClient {
  /** Held at this moment, also where the app itself is remembered from earlier. */
  readonly scopes: readonly string[];
}

/** Client secrets are 256 random bits, so SHA-256 and a constant-time comparison suffice. */
@Injectable()
export class ClientAuthenticator {
  constructor(
    private readonly directory: AppDirectory,
    private readonly secrets: ClientSecrets,
    private readonly refused: RefusedClients,
  ) {}

  /** The open app whose secret this is. @throws InvalidClient */
  async authenticate(ctx: RequestContext, credentials: ClientCredentials): Promise<AuthenticatedClient> {
    const client = await this.prove(ctx, credentials);
    if (!client) throw new InvalidClient();
    return client;
  }

  /** The same. @returns null where there is none: unknown, switched off and wrong are not told apart */
  async prove(ctx: RequestContext, { clientId, clientSecret }: ClientCredentials): Promise<AuthenticatedClient | null> {
    const id = isUuid(clientId) ? clientId.toLowerCase() : NO_ID;
    const [client, live] = await Promise.all([this.directory.find(id), this.secrets.find(id)]);
    const matches = matchesHash(clientSecret ?? '', live?.hash ?? NO_HASH);
    if (client?.isOpen && live?.isOpen && matches) return { ...client, scopes: live.serviceScopes };
    if (client) this.refused.record(ctx, client.app, matches ? 'switched_off' : 'wrong_secret');
    return null;
  }

  /**
   * Whose code, refresh or revocation it is. A confidential client proves its secret every time (RFC 6749 sections 3.2.1
   * and 6), every other one where it sends it.
   * @returns null where there is no such open app
   * @throws InvalidClient
   */
  async identify(ctx: RequestContext, credentials: ClientCredentials): Promise<RegisteredClient | null> {
    if (credentials.clientSecret !== null) return this.authenticate(ctx, credentials);
    if (!isUuid(credentials.clientId)) return null;
    const client = await this.directory.findOpen(credentials.clientId.toLowerCase());
    if (client?.app.config.client_type === 'confidential') throw new InvalidClient();
    return client;
  }
}
