import { Injectable } from '@nestjs/common';
import type { RegisteredClient } from '../../apps/app-directory.js';
import { Refusal } from '../../common/refusal.js';
import type { RequestContext } from '../../common/request-context.js';
import { RateLimitsService } from '../../rate-limits/rate-limits.service.js';
import { ClientAuthenticator, type ClientCredentials } from '../clients/client-authenticator.js';
import { ClientCounters } from '../clients/client-counters.js';
import { InvalidClient, InvalidCode } from '../protocol/tokens.errors.js';
import { AuthorizationCodesService } from './authorization-codes.service.js';
import type { Grant } from './grant.js';

export interface ExchangeInput {
  readonly code: string;
  readonly code_verifier?: string;
  readonly redirect_uri?: string;
  readonly device_id?: string | null;
}

/**
 * Redeems codes for the client that presents them, counts failures, and leaves the code itself to the module that owns
 * codes.
 */
@Injectable()
export class CodeExchangeService {
  constructor(
    private readonly codes: AuthorizationCodesService,
    private readonly clients: ClientAuthenticator,
    private readonly counters: ClientCounters,
    private readonly limits: RateLimitsService,
  ) {}

  /**
   * A client that proves who it is is neither counted nor refused by what others have tried: strangers choose the
   * codes that its callback is given, and its users all come from the one address of its server.
   * @throws RateLimited, InvalidClient, InvalidCode, InvalidCodeVerifier
   */
  async exchange(ctx: RequestContext, credentials: ClientCredentials, input: ExchangeInput): Promise<Grant> {
    const proven = credentials.proof === null ? null : await this.clients.prove(ctx, credentials);
    if (proven) return this.redeem(ctx, proven, input, credentials);
    return this.counted(ctx, credentials, async () => {
      if (credentials.proof !== null) throw new InvalidClient();
      return this.redeem(ctx, await this.clients.identify(ctx, credentials), input, credentials);
    });
  }

  private async counted(
    ctx: RequestContext,
    credentials: ClientCredentials,
    work: () => Promise<Grant>,
  ): Promise<Grant> {
    const caller = await this.counters.keyOf(ctx, credentials.clientId);
    const { allowed, retryAfter } = await this.limits.peek('code_failures', caller);
    if (!allowed) throw this.limits.refusal('code_failures', retryAfter);
    try {
      return await work();
    } catch (error) {
      // Our own errors are not guesses: an outage must not exhaust the limit of a client.
      if (error instanceof Refusal) await this.limits.tryConsume('code_failures', caller);
      throw error;
    }
  }

  private async redeem(
    ctx: RequestContext,
    client: RegisteredClient | null,
    input: ExchangeInput,
    { proof, key }: ClientCredentials,
  ): Promise<Grant> {
    if (!client) throw new InvalidCode();
    const { grant } = await this.codes.redeem(ctx, client, {
      code: input.code,
      codeVerifier: input.code_verifier ?? null,
      redirectUri: input.redirect_uri ?? null,
      deviceId: input.device_id ?? null,
      jkt: key?.jkt ?? null,
      isAuthenticated: proof !== null,
    });
    return grant;
  }
}
