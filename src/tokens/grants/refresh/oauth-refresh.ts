import { Injectable } from '@nestjs/common';
import { AppDirectory } from '../../../apps/directory/app-directory.js';
import { Refusal } from '../../../common/refusal.js';
import type { RequestContext } from '../../../common/request-context.js';
import { isUuid } from '../../../common/validation/fields.js';
import { hashOpaqueToken } from '../../../crypto/opaque-token.js';
import type { ClientCredentials } from '../../clients/client-authenticator.js';
import { hasWholeScope } from '../../protocol/requested-claims.rules.js';
import { remainingScope } from '../../protocol/resource.rules.js';
import { firstBeyond, narrowedScope } from '../../protocol/scopes.rules.js';
import { InvalidClient, InvalidGrant, InvalidScope, InvalidTarget } from '../../protocol/tokens.errors.js';
import type { Grant } from '../issuance/grant.js';
import { type KnownFamily, RefreshFamiliesRepository } from '../token-family/refresh-families.repository.js';
import { RefreshClients } from './refresh-clients.js';
import { RefreshTokensService } from './refresh-tokens.service.js';

/** A refresh with the errors of OAuth (RFC 6749 section 6). */
@Injectable()
export class OAuthRefresh {
  constructor(
    private readonly refreshTokens: RefreshTokensService,
    private readonly clients: RefreshClients,
    private readonly families: RefreshFamiliesRepository,
    private readonly directory: AppDirectory,
  ) {}

  /**
   * @param requested the resource of the sign-in, and a subset of its scopes; null: all of them
   * @throws RateLimited, InvalidClient, InvalidTarget, InvalidScope, InvalidGrant
   */
  async refresh(
    ctx: RequestContext,
    client: ClientCredentials,
    refreshToken: string,
    requested: { readonly scope: string | null; readonly resource: string | null },
  ): Promise<Grant> {
    if (!isUuid(client.clientId)) throw new InvalidClient();
    const appId = client.clientId.toLowerCase();
    try {
      const grant = await this.clients.run(ctx, client, async (known) => {
        if (!known) throw new InvalidClient();
        await this.checkRequest(appId, refreshToken, requested);
        return this.refreshTokens.refresh(ctx, { refreshToken, appId, deviceId: null, jkt: client.key?.jkt ?? null });
      });
      const scope = narrowedScope(grant.scope, requested.scope);
      const claims = hasWholeScope(grant.scope, scope) ? grant.claims : null;
      return { ...grant, scope, claims };
    } catch (error) {
      // RFC 6749 section 5.2: an invalid grant is 400 here; /token/refresh answers 401 or 403.
      if (error instanceof Refusal && error.extras.oauthError === 'invalid_grant')
        throw new InvalidGrant(error.message);
      throw error;
    }
  }

  /**
   * A sign-in is for one resource, or for the app itself, and cannot change (RFC 8707 section 2.2). No refresh gets
   * more scopes than were granted (RFC 6749 section 6), or than the resource still has. Checked before the token is
   * used up.
   */
  private async checkRequest(
    appId: string,
    refreshToken: string,
    { scope, resource }: { readonly scope: string | null; readonly resource: string | null },
  ): Promise<void> {
    if (scope === null && resource === null) return;
    const family = await this.families.findByToken(hashOpaqueToken(refreshToken));
    if (family?.appId !== appId) return;
    if (resource !== null && family.resource !== resource) throw new InvalidTarget();
    const wider = scope === null ? undefined : firstBeyond(await this.heldBy(family), scope);
    if (wider !== undefined) throw new InvalidScope(wider);
  }

  private async heldBy({ appId, scope, resource }: KnownFamily): Promise<string | null> {
    if (scope === null) return null;
    const client = await this.directory.findOfAnyOrigin(appId);
    return client ? remainingScope(scope, client, [resource]) : '';
  }
}
