import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { RequestContext } from '../../common/request-context.js';
import type { User } from '../../users/user.entity.js';
import { DroppedPasskeys } from '../credentials/passkeys/dropped-passkeys.js';
import { SecondFactorService } from '../credentials/second-factor/second-factor.service.js';
import { LinkedAccountsService } from '../providers/linked/linked-accounts.service.js';

/** Ways to sign in that were set up after a point in time. */
@Injectable()
export class LateCredentials {
  constructor(
    private readonly secondFactor: SecondFactorService,
    private readonly linked: LinkedAccountsService,
    private readonly passkeys: DroppedPasskeys,
  ) {}

  /** A second factor from before stays. */
  async drop(tx: EntityManager, ctx: RequestContext, { id, totpEnabledAt }: User, since: Date): Promise<void> {
    if (totpEnabledAt && totpEnabledAt > since) await this.secondFactor.drop(tx, id);
    await this.linked.dropAll(tx, id, since);
    await this.passkeys.dropSince(tx, ctx, id, since);
  }
}
