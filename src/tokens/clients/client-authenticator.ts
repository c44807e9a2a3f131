import { Injectable } from '@nestjs/common';
import { AppDirectory, type RegisteredClient } from '../../apps/directory/app-directory.js';
import { LiveClients, type LiveClient } from '../../apps/directory/live-clients.js';
import type { RequestContext } from '../../common/request-context.js';
import { isSelfRegistered } from '../../apps/app/app-origin.rules.js';
import { isUuid } from '../../common/validation/fields.js';
import { matchesHash } from '../../crypto/opaque-token.js';
import { ClientKeyUses } from '../dpop/client-key-uses.js';
import type { DpopKey } from '../dpop/dpop-proofs.service.js';
import { InvalidClient } from '../protocol/tokens.errors.js';
import { ClientAssertions } from './client-assertions.service.js';
import { type ClientFault, RefusedClients } from './refused-clients.js';

/** Compared against for unknown clients: the same work on a miss. */
const NO_HASH = Buffer.alloc(32);
const NO_ID = '00000000-0000-0000-0000-000000000000';

/** What a client shows of itself: its secret, or an assertion that its key has signed (RFC 7523). */
export type ClientProof =
  { readonly kind: 'secret'; readonly secret: string } | { readonly kind: 'assertion'; readonly assertion: string };

export interface ClientCredentials {
  readonly clientId: string;
  /** Null: it only says its name. */
  readonly proof: ClientProof | null;
  /** That the request has proven to hold (RFC 9449); used up when the client is known. */
  readonly key?: DpopKey;
}

/** An open app that has proven who it is. */
export interface AuthenticatedClient extends RegisteredClient {
  /** Held at this moment, also where the app itself is remembered from earlier. */
  readonly scopes: readonly string[];
}

/** Client secrets are 256 random bits, so SHA-256 and a constant-time comparison suffice. */
@Injectable()
export class ClientAuthenticator {
  constructor(
    private readonly directory: AppDirectory,
    private readonly liveClients: LiveClients,
    private readonly assertions: ClientAssertions,
    private readonly refused: RefusedClients,
    private readonly keys: ClientKeyUses,
  ) {}

  /** The open app whose secret or assertion this is. @throws InvalidClient */
  async authenticate(ctx: RequestContext, credentials: ClientCredentials): Promise<AuthenticatedClient> {
    const client = await this.prove(ctx, credentials);
    if (!client) throw new InvalidClient();
    return client;
  }

  /** The same. @returns null where there is none: unknown, switched off and wrong are not told apart */
  async prove(ctx: RequestContext, { clientId, proof, key }: ClientCredentials): Promise<AuthenticatedClient | null> {
    const id = isUuid(clientId) ? clientId.toLowerCase() : NO_ID;
    const [client, known] = await Promise.all([this.directory.find(id), this.liveClients.find(id)]);
    const judged = await this.judge(id, known, proof);
    // The client's own address may have let it wait for seconds: keys that were replaced meanwhile open nothing.
    const live = known?.keys?.jwks_uri ? await this.liveClients.find(id) : known;
    const fault = judged ?? (isReplaced(known, live) ? 'assertion_unknown_key' : null);
    if (client?.isOpen && live?.mayAct && fault === null) {
      if (key) await this.keys.spend(ctx, key, true);
      return { ...client, scopes: live.serviceScopes };
    }
    if (client) this.refused.record(ctx, client.app, fault ?? 'switched_off');
    return null;
  }

  /**
   * One method for each app (RFC 7591 section 2): the secret of an app that signs opens nothing, nor the other way round,
   * and that of a public client never.
   */
  private async judge(id: string, live: LiveClient | null, proof: ClientProof | null): Promise<ClientFault | null> {
    if (proof?.kind === 'assertion')
      return live?.keys ? this.assertions.spend(id, live.keys, proof.assertion) : 'wrong_method';
    const matches = matchesHash(proof?.secret ?? '', live?.hash ?? NO_HASH);
    if (live && (live.keys || !live.hash)) return 'wrong_method';
    return matches ? null : 'wrong_secret';
  }

  /**
   * Whose code, refresh or revocation it is. A confidential client proves who it is every time (RFC 6749 sections 3.2.1
   * and 6), every other one where it sends it.
   * @returns null where there is no such open app
   * @throws InvalidClient
   */
  async identify(ctx: RequestContext, credentials: ClientCredentials): Promise<RegisteredClient | null> {
    if (credentials.proof !== null) return this.authenticate(ctx, credentials);
    if (!isUuid(credentials.clientId)) return null;
    const found = await this.directory.findOfAnyOrigin(credentials.clientId.toLowerCase());
    // Its tenant has switched it off, or no longer accepts clients of its host: all requests are refused, also refreshes.
    if (found && isSelfRegistered(found.app) && !found.isOpen) throw new InvalidClient();
    const client = found?.isOpen ? found : null;
    if (client?.app.config.client_type === 'confidential') throw new InvalidClient();
    if (client && credentials.key) await this.keys.spend(ctx, credentials.key, false);
    return client;
  }
}

/** Whether its secret or keys are other ones by now. */
function isReplaced(known: LiveClient | null, live: LiveClient | null): boolean {
  return known?.changedAt?.getTime() !== live?.changedAt?.getTime();
}
