import { Injectable } from '@nestjs/common';
import { AppDirectory } from '../../apps/app-directory.js';
import { isUuid } from '../../common/validation/fields.js';
import { EntryCache } from '../../enrollment/entry-cache.js';
import { signedInAtMs } from '../jwt/signed-in-at.rules.js';
import type { AccessClaims } from '../jwt/token-use.js';
import { findResource } from '../protocol/resource.rules.js';
import { type KnownFamily, RefreshFamiliesRepository } from './refresh-families.repository.js';
import { holdsStill } from './token-exchange.rules.js';
import { TokenExchangesRepository } from './token-exchanges.repository.js';

/**
 * Whether a user's access token is good at this moment: asked wherever one for a protected resource is described or exchanged.
 * What ends the sign-in ends its tokens, and every token that these were exchanged for.
 */
@Injectable()
export class LiveAccess {
  constructor(
    private readonly families: RefreshFamiliesRepository,
    private readonly entries: EntryCache,
    private readonly directory: AppDirectory,
    private readonly exchanges: TokenExchangesRepository,
  ) {}

  /** The sign-in that the token came from; null where the token is no longer good. */
  async find(claims: AccessClaims): Promise<KnownFamily | null> {
    const family = await this.families.findAlive(claims);
    if (!family || family.userId !== claims.sub) return null;
    const isFirst = claims.act === undefined && claims.client_id === family.appId;
    if (!isFirst && !(await this.isExchanged(claims, family))) return null;
    if (!(await this.isForResourceStill(family))) return null;
    const admission = await this.entries.admission(claims.sub, family.appId, signedInAtMs(claims));
    return admission === 'admitted' ? family : null;
  }

  /** Both the tenant and the app may give a resource up. */
  private async isForResourceStill({ appId, resource }: KnownFamily): Promise<boolean> {
    if (resource === null) return true;
    const client = await this.directory.findOfAnyOrigin(appId);
    return client !== null && findResource(client, resource) !== null;
  }

  /** Whether every app that the token has gone through may still act, and none has ended its token. */
  private async isExchanged({ jti, client_id }: AccessClaims, { id: familyId }: KnownFamily): Promise<boolean> {
    const chain = isUuid(jti) ? await this.exchanges.chain(jti) : [];
    if (chain[0]?.actorAppId !== client_id) return false;
    const clients = await Promise.all(chain.map(({ actorAppId }) => this.directory.find(actorAppId)));
    return chain.every(
      (link, index) => !link.isRevoked && link.familyId === familyId && holdsStill(clients[index]!, link),
    );
  }
}
