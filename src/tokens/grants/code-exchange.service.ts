import { Injectable } from '@nestjs/common';
import { AppDirectory } from '../../apps/app-directory.js';
import { Refusal } from '../../common/refusal.js';
import type { RequestContext } from '../../common/request-context.js';
import { InvalidInput } from '../../common/validation/invalid-input.js';
import { clientAddressKey } from '../../rate-limits/client-address.js';
import { RateLimitsService } from '../../rate-limits/rate-limits.service.js';
import { ClientAuthenticator } from '../client-authenticator.js';
import { InvalidCode } from '../tokens.errors.js';
import { AuthorizationCodesService } from './authorization-codes.service.js';
import type { Grant } from './grant.js';

export interface ExchangeInput {
  readonly code: string;
  readonly app_id?: string;
  readonly client_id?: string;
  readonly client_secret?: string;
  readonly code_verifier?: string;
  readonly redirect_uri?: string;
  readonly device_id?: string | null;
}

/** POST /token/exchange: names the app, counts failures, and leaves the code itself to whoever owns codes. */
@Injectable()
export class CodeExchangeService {
  constructor(
    private readonly codes: AuthorizationCodesService,
    private readonly directory: AppDirectory,
    private readonly clients: ClientAuthenticator,
    private readonly limits: RateLimitsService,
  ) {}

  /** @throws InvalidInput, RateLimited, InvalidClient, InvalidCode, InvalidCodeVerifier */
  async exchange(ctx: RequestContext, input: ExchangeInput): Promise<Grant> {
    const appId = (input.app_id ?? input.client_id)?.toLowerCase();
    if (appId === undefined) throw InvalidInput.field('app_id', 'Field required', 'missing');
    if (input.app_id && input.client_id && input.app_id.toLowerCase() !== input.client_id.toLowerCase()) {
      throw InvalidInput.field('client_id', 'client_id and app_id differ');
    }
    const source = clientAddressKey(ctx.ip);
    const { allowed, retryAfter } = await this.limits.peek('code_failures', source);
    if (!allowed) throw this.limits.refusal('code_failures', retryAfter);
    try {
      return await this.redeem(ctx, appId, input);
    } catch (error) {
      // A fault of ours is no guess: after an outage nobody may find themselves shut out.
      if (error instanceof Refusal) await this.limits.tryConsume('code_failures', source);
      throw error;
    }
  }

  private async redeem(ctx: RequestContext, appId: string, input: ExchangeInput): Promise<Grant> {
    const known =
      input.client_secret === undefined
        ? await this.directory.findOpen(appId)
        : await this.clients.authenticate(ctx, { clientId: appId, clientSecret: input.client_secret });
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
