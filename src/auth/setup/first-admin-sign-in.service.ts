import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Clock } from '../../common/clock.js';
import type { RequestContext } from '../../common/request-context.js';
import { proofOf } from '../../users/proof.js';
import { ProofGuard } from '../../users/proof-guard.js';
import type { User } from '../../users/user.entity.js';
import { SsoSessionsService } from '../session/sso-sessions.service.js';

/** Signs in the first platform admin, in the transaction that creates the account. */
@Injectable()
export class FirstAdminSignIn {
  constructor(
    private readonly proofs: ProofGuard,
    private readonly sessions: SsoSessionsService,
    private readonly clock: Clock,
  ) {}

  /**
   * @param presented value of the SSO cookie of the request; its session is replaced
   * @returns the value of the new cookie
   */
  async begin(tx: EntityManager, ctx: RequestContext, user: User, presented: string | null): Promise<string> {
    const held = await this.proofs.hold(tx, proofOf(user));
    return this.sessions.begin(tx, ctx, held, { authTime: this.clock.now(), amr: ['pwd'] }, presented);
  }
}
