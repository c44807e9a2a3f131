import { Injectable, Logger } from '@nestjs/common';
import { AppDirectory, type RegisteredClient } from '../../apps/app-directory.js';
import { ClientSecrets } from '../../apps/client-secrets.js';
import { AuditService } from '../../audit/audit.service.js';
import type { RequestContext } from '../../common/request-context.js';
import { isUuid } from '../../common/validation/fields.js';
import { RateLimitsService } from '../../rate-limits/rate-limits.service.js';
import { matchesHash } from '../../crypto/opaque-token.js';
import { InvalidClient } from '../protocol/tokens.errors.js';

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
  private readonly logger = new Logger(ClientAuthenticator.name);

  constructor(
    private readonly directory: AppDirectory,
    private readonly secrets: ClientSecrets,
    private readonly audit: AuditService,
    private readonly limits: RateLimitsService,
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
    // Not waited for: an entry that only known clients get would make their refusals come later, and tell.
    if (client) void this.record(ctx, client, matches);
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

  /** As many entries per client and window as attempts are allowed: anyone who guesses cannot fill the log. */
  private async record(ctx: RequestContext, { app }: RegisteredClient, matches: boolean): Promise<void> {
    try {
      const { allowed } = await this.limits.tryConsume('client_credentials', `refused:${app.id}`);
      if (!allowed) return;
      await this.audit.recordAlone(ctx, 'service_token.refused', {
        appId: app.id,
        tenantId: app.tenantId,
        outcome: 'failure',
        metadata: { reason: matches ? 'switched_off' : 'wrong_secret' },
      });
    } catch (error) {
      this.logger.error(`A refused client could not be recorded in the audit log: ${(error as Error).message}`);
    }
  }
}
