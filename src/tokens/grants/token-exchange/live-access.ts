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
import { appIdOf } from '../../jwt/token-app.rules.js';

/** A user's access token that is currently valid. */
export interface LiveGrant {
  /** The sign-in that it came from. */
  readonly family: KnownFamily;
  /**
   * Without scopes that the tenant has since removed from a resource; undefined if the token was issued without scopes.
   */
  readonly scope: string | undefined;
}

/**
 * Whether a user's access token is currently valid, for introspection and exchange. Ending the sign-in ends its tokens,
 * and every token that these were exchanged for.
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
   * Null if the token is no longer valid. A token that has lost all of its scopes is still valid, like one that was
   * issued without any: it identifies the user and allows nothing.
   */
  async find(claims: AccessClaims): Promise<LiveGrant | null> {
    const family = await this.families.findAlive(claims);
    if (!family || family.userId !== claims.sub) return null;
    const isFirst = claims.act === undefined && appIdOf(claims) === family.appId;
    const chain = isFirst ? [] : await this.findChain(claims, family);
    const client = chain && (await this.directory.findOfAnyOrigin(family.appId));
    if (!client || !isForResourceStill(client, family)) return null;
    const admission = await this.entries.admission(claims.sub, family.appId, signedInAtMs(claims));
    if (admission !== 'admitted') return null;
    const scope =
      claims.scope === undefined ? undefined : remainingScope(claims.scope, client, resourcesBehind(family, chain));
    return { family, scope };
  }

  /**
   * The exchanges of a token. @returns null unless every app in the chain may still act for the user, and none of their
   * tokens was revoked
   */
  private async findChain(claims: AccessClaims, { id: familyId }: KnownFamily): Promise<readonly ChainLink[] | null> {
    const chain = isUuid(claims.jti) ? await this.exchanges.chain(claims.jti) : [];
    if (chain[0]?.actorAppId !== appIdOf(claims)) return null;
    const clients = await Promise.all(chain.map(({ actorAppId }) => this.directory.find(actorAppId)));
    const isWhole = chain.every(
      (link, index) => !link.isRevoked && link.familyId === familyId && holdsStill(clients[index]!, link),
    );
    return isWhole ? chain : null;
  }
}

/** The tenant or the app may have removed the resource. */
function isForResourceStill(client: RegisteredClient, { resource }: KnownFamily): boolean {
  return resource === null || findResource(client, resource) !== null;
}

/** All resources in the chain had the scopes of the token. */
function resourcesBehind({ resource }: KnownFamily, chain: readonly ChainLink[]): readonly (string | null)[] {
  return [resource, ...chain.map((link) => link.resource)];
}
