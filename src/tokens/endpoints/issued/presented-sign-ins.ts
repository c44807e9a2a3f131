import { Injectable } from '@nestjs/common';
import type { RequestContext } from '../../../common/request-context.js';
import { isUuid } from '../../../common/validation/fields.js';
import { hashOpaqueToken, isOpaqueToken } from '../../../crypto/opaque-token.js';
import { type KnownFamily, RefreshFamiliesRepository } from '../../grants/token-family/refresh-families.repository.js';
import { RefreshRevocation } from '../../grants/revocation/refresh-revocation.js';
import type { AccessClaims } from '../../jwt/token-use.js';

/** The sign-in of a token that its client revokes. */
@Injectable()
export class PresentedSignIns {
  constructor(
    private readonly families: RefreshFamiliesRepository,
    private readonly revocation: RefreshRevocation,
  ) {}

  /** @param claims null: not an access token of this service */
  async find(token: string, claims: AccessClaims | null): Promise<KnownFamily | null> {
    if (isOpaqueToken(token)) return this.families.findByToken(hashOpaqueToken(token));
    return isUuid(claims?.grant_id) ? this.families.find(claims.grant_id) : null;
  }

  end(ctx: RequestContext, family: KnownFamily, reason: 'owner' | 'signed_out'): Promise<void> {
    return this.revocation.revoke(ctx, family, reason);
  }
}
