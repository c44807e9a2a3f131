import { Injectable } from '@nestjs/common';
import { NIL_UUID } from '../../common/validation/nil-uuid.js';
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

/** Compared for unknown clients, so that the same work is done. */
const NO_HASH = Buffer.alloc(32);
const NO_APP = NIL_UUID;

/** The credentials of a client: its secret, or an assertion that it has signed with its key (RFC 7523). */
export type ClientProof =
  { readonly kind: 'secret'; readonly secret: string } | { readonly kind: 'assertion'; readonly assertion: string };

export interface ClientCredentials {
  readonly clientId: string;
  /** Null: the client is only identified. */
  readonly proof: ClientProof | null;
  /** DPoP key that the request has proven (RFC 9449); the proof is used up once the client is known. */
  readonly key?: DpopKey;
}

/** An app that has authenticated, and is switched on. */
export interface AuthenticatedClient extends RegisteredClient {
  /** Current scopes, even if the app itself comes from a cache. */
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

  /** Returns the app with this secret or assertion, if it is switched on. @throws InvalidClient */
  async authenticate(ctx: RequestContext, credentials: ClientCredentials): Promise<AuthenticatedClient> {
    const client = await this.prove(ctx, credentials);
    if (!client) throw new InvalidClient();
    return client;
  }

  /**
   * As {@link authenticate}. @returns null if the client is unknown, switched off or has wrong credentials, without
   * distinction
   */
  async prove(ctx: RequestContext, { clientId, proof, key }: ClientCredentials): Promise<AuthenticatedClient | null> {
    const id = isUuid(clientId) ? clientId.toLowerCase() : NO_APP;
    const [client, known] = await Promise.all([this.directory.find(id), this.liveClients.find(id)]);
    const judged = await this.judge(id, known, proof);
    // Fetching the keys from the client's own URL may have taken seconds: keys that were replaced in the meantime must
    // not be accepted.
    const live = known?.keys?.jwks_uri ? await this.liveClients.find(id) : known;
    const fault = judged ?? (isReplaced(known, live) ? 'assertion_unknown_key' : null);
    if (client?.isOpen && live?.mayAct && fault === null) {
      if (key) await this.keys.spend(ctx, key, { isProven: true });
      return { ...client, scopes: live.serviceScopes };
    }
    if (client) this.refused.record(ctx, client.app, fault ?? 'switched_off');
    return null;
  }

  /**
   * Each app has one method (RFC 7591 section 2): the secret of an app with `private_key_jwt` is not accepted, nor an
   * assertion of an app with a secret, and the secret of a public client never is.
   */
  private async judge(id: string, live: LiveClient | null, proof: ClientProof | null): Promise<ClientFault | null> {
    if (proof?.kind === 'assertion')
      return live?.keys ? this.assertions.spend(id, live.keys, proof.assertion) : 'wrong_method';
    const matches = matchesHash(proof?.secret ?? '', live?.hash ?? NO_HASH);
    if (live && (live.keys || !live.hash)) return 'wrong_method';
    return matches ? null : 'wrong_secret';
  }

  /**
   * Identifies the client of a code exchange, refresh or revocation. A confidential client must authenticate every time
   * (RFC 6749 sections 3.2.1 and 6), any other only if it sends credentials.
   * @returns null if there is no such app, or it is switched off
   * @throws InvalidClient
   */
  async identify(ctx: RequestContext, credentials: ClientCredentials): Promise<RegisteredClient | null> {
    if (credentials.proof !== null) return this.authenticate(ctx, credentials);
    const found = await this.directory.findByClientId(credentials.clientId);
    // Its tenant has switched it off, or no longer accepts clients of its host: all requests are refused, including
    // refreshes.
    if (found && isSelfRegistered(found.app) && !found.isOpen) throw new InvalidClient();
    const client = found?.isOpen ? found : null;
    if (client?.app.config.client_type === 'confidential') throw new InvalidClient();
    if (client && credentials.key) await this.keys.spend(ctx, credentials.key, { isProven: false });
    return client;
  }
}

/** Whether its secret or keys were replaced. */
function isReplaced(known: LiveClient | null, live: LiveClient | null): boolean {
  return known?.changedAt?.getTime() !== live?.changedAt?.getTime();
}
