import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { RequestContext } from '../../common/request-context.js';
import type { SessionMark } from '../../tokens/grants/revocation/active-grants.repository.js';
import { ActiveGrants } from '../../tokens/grants/revocation/active-grants.service.js';
import { UsersService } from '../../users/users.service.js';
import { SsoSessionsRepository } from './sso-sessions.repository.js';

/**
 * Signs a user out of browsers from elsewhere: they or an administrator may do it because an intruder is there. So what
 * was proven there and is not finished yet ends too, with the tasks that were started and the changes that were scheduled.
 */
@Injectable()
export class RemoteSignOut {
  constructor(
    private readonly sessions: SsoSessionsRepository,
    private readonly signIns: ActiveGrants,
    private readonly users: UsersService,
  ) {}

  /** @returns how many sign-ins at apps ended with the browser's; null if the session is not theirs or over */
  async endBrowser(tx: EntityManager, userId: string, id: string): Promise<number | null> {
    // Waits for sign-ins under way, which are then seen and ended below; later ones have to start again.
    await this.users.voidPlans(tx, userId);
    const ended = await this.sessions.endOne(tx, userId, id);
    return ended && (await this.signIns.revokeSession(tx, userId, ended, true));
  }

  /** Everything but one browser and what was entered from it. */
  async endOthers(
    tx: EntityManager,
    ctx: RequestContext,
    userId: string,
    kept: SessionMark & { readonly id: string },
  ): Promise<{ browsers: number; apps: number }> {
    await this.users.voidPlans(tx, userId);
    const ended = await this.sessions.endOthers(tx, userId, kept.id);
    const sids = ended.map(({ sid }) => sid);
    return { browsers: ended.length, apps: await this.signIns.revokeOthers(tx, ctx, userId, kept, sids) };
  }
}
