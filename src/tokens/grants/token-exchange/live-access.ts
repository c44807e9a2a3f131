import { Injectable } from '@nestjs/common';
import { AppDirectory, type RegisteredClient } from '../../../apps/directory/app-directory.js';
import { isUuid } from '../../../common/validation/fields.js';
import { EntryCache } from '../../../enrollment/memberships/entry-cache.js';
import { signedInAtMs } from '../../jwt/signed-in-at.rules.js';
import type { AccessClaims } from '../../jwt/token-use.js';
import { findResource, remainingScope } from '../../protocol/resource.rules.js';
import { type KnownFamily, RefreshFamiliesRepository } from '../token-family/refresh-families.repository.js';
import { holdsStill } from './token-exchange.rules.js';
import { type ChainLink, TokenExchangesRepository } from './token-exchanges.repository.js';

/** A user's access token that is good at this moment. */
export interface LiveGrant {
  /** The sign-in that it came from. */
  readonly family: KnownFamily;
  /** Without the scopes that the tenant has taken out of a resource since; undefined where it was made without any. */
  readonly scope: string | undefined;
}

/**
 * Whether a user's access token is good at this moment: asked wherever one is introspected or exchanged.
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

  /**
   * Null where the token is no longer good. One that has lost all of its scopes is still good, as one that was made without any is: it
   * says who the user is, and allows nothing.
   */
  async find(claims: AccessClaims): Promise<LiveGrant | null> {
    const family = await this.families.findAlive(claims);
    if (!family || family.userId !== claims.sub) return null;
    const isFirst = claims.act === undefined && claims.client_id === family.appId;
    const chain = isFirst ? [] : await this.findChain(claims, family);
    const client = chain && (await this.directory.findOfAnyOrigin(family.appId));
    if (!client || !isForResourceStill(client, family)) return null;
    const admission = await this.entries.admission(claims.sub, family.appId, signedInAtMs(claims));
    if (admission !== 'admitted') return null;
    const scope =
      claims.scope === undefined ? undefined : remainingScope(claims.scope, client, resourcesBehind(family, chain));
    return { family, scope };
  }

  /** The exchanges of a token. @returns null unless every app that it has gone through may still act, and none has ended its token */
  private async findChain(
    { jti, client_id }: AccessClaims,
    { id: familyId }: KnownFamily,
  ): Promise<readonly ChainLink[] | null> {
    const chain = isUuid(jti) ? await this.exchanges.chain(jti) : [];
    if (chain[0]?.actorAppId !== client_id) return null;
    const clients = await Promise.all(chain.map(({ actorAppId }) => this.directory.find(actorAppId)));
    const isWhole = chain.every(
      (link, index) => !link.isRevoked && link.familyId === familyId && holdsStill(clients[index]!, link),
    );
    return isWhole ? chain : null;
  }
}

/** Both the tenant and the app may give a resource up. */
function isForResourceStill(client: RegisteredClient, { resource }: KnownFamily): boolean {
  return resource === null || findResource(client, resource) !== null;
}

/** Every one that the token has gone through had its scopes. */
function resourcesBehind({ resource }: KnownFamily, chain: readonly ChainLink[]): readonly (string | null)[] {
  return [resource, ...chain.map((link) => link.resource)];
}
