import { Injectable } from '@nestjs/common';
import type { RegisteredClient } from '../../../apps/directory/app-directory.js';
import type { RequestContext } from '../../../common/request-context.js';
import type { ClientCredentials } from '../../clients/client-authenticator.js';
import { InvalidClient, InvalidCode } from '../../protocol/tokens.errors.js';
import { AuthorizationCodesService } from './authorization-codes.service.js';
import { CodeFailures } from './code-failures.js';
import type { Grant } from '../issuance/grant.js';

export interface ExchangeInput {
  readonly code: string;
  readonly code_verifier?: string;
  readonly redirect_uri?: string;
  readonly device_id?: string | null;
  readonly resource?: string;
  /** Of POST /auth/token, where an unknown client is `invalid_client` (RFC 6749 section 5.2). */
  readonly isOAuth?: boolean;
}

/** Redeems codes for the client that presents them, and counts failures. */
@Injectable()
export class CodeExchangeService {
  constructor(
    private readonly codes: AuthorizationCodesService,
    private readonly failures: CodeFailures,
  ) {}

  /** @throws RateLimited, InvalidClient, InvalidCode, InvalidCodeVerifier */
  exchange(ctx: RequestContext, credentials: ClientCredentials, input: ExchangeInput): Promise<Grant> {
    const isKnown = () => this.codes.isKnown(input.code);
    return this.failures.watch(ctx, credentials, isKnown, (client) => this.redeem(ctx, client, input, credentials));
  }

  private async redeem(
    ctx: RequestContext,
    client: RegisteredClient | null,
    input: ExchangeInput,
    { key }: ClientCredentials,
  ): Promise<Grant> {
    if (!client) throw input.isOAuth ? new InvalidClient() : new InvalidCode();
    const { grant } = await this.codes.redeem(ctx, client, {
      code: input.code,
      codeVerifier: input.code_verifier ?? null,
      // Without a value, a parameter counts as omitted, in JSON as well (RFC 6749 section 3.2).
      redirectUri: input.redirect_uri || null,
      deviceId: input.device_id || null,
      resource: input.resource ?? null,
      jkt: key?.jkt ?? null,
    });
    return grant;
  }
}
