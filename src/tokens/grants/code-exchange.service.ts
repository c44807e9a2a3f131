import { Injectable } from '@nestjs/common';
import { Refusal } from '../../common/refusal.js';
import type { RequestContext } from '../../common/request-context.js';
import { clientAddressKey } from '../../rate-limits/client-address.js';
import { RateLimitsService } from '../../rate-limits/rate-limits.service.js';
import { ClientAuthenticator, type ClientCredentials } from '../client-authenticator.js';
import { InvalidCode } from '../tokens.errors.js';
import { AuthorizationCodesService } from './authorization-codes.service.js';
import type { Grant } from './grant.js';

export interface ExchangeInput {
  readonly code: string;
  readonly code_verifier?: string;
  readonly redirect_uri?: string;
  readonly device_id?: string | null;
}

/** Redeems codes for the client that presents them, counts failures, and leaves the code itself to whoever owns codes. */
@Injectable()
export class CodeExchangeService {
  constructor(
    private readonly codes: AuthorizationCodesService,
    private readonly clients: ClientAuthenticator,
    private readonly limits: RateLimitsService,
  ) {}

  /** @throws RateLimited, InvalidClient, InvalidCode, InvalidCodeVerifier */
  async exchange(ctx: RequestContext, client: ClientCredentials, input: ExchangeInput): Promise<Grant> {
    const source = clientAddressKey(ctx.ip);
    const { allowed, retryAfter } = await this.limits.peek('code_failures', source);
    if (!allowed) throw this.limits.refusal('code_failures', retryAfter);
    try {
      return await this.redeem(ctx, client, input);
    } catch (error) {
      // A fault of ours is no guess: after an outage nobody may find themselves shut out.
      if (error instanceof Refusal) await this.limits.tryConsume('code_failures', source);
      throw error;
    }
  }

  private async redeem(ctx: RequestContext, client: ClientCredentials, input: ExchangeInput): Promise<Grant> {
    const known = await this.clients.identify(ctx, client);
    if (!known) throw new InvalidCode();
    const { grant } = await this.codes.redeem(ctx, known, {
      code: input.code,
      codeVerifier: input.code_verifier ?? null,
      redirectUri: input.redirect_uri ?? null,
      deviceId: input.device_id ?? null,
    });
    return grant;
  }
}
