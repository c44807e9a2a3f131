import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { RequestContext } from '../../common/request-context.js';
import type { SessionMark } from '../../tokens/grants/revocation/active-grants.repository.js';
import { ActiveGrants } from '../../tokens/grants/revocation/active-grants.service.js';
import { UsersService } from '../../users/users.service.js';
import { SsoSessionsRepository } from './sso-sessions.repository.js';

/**
 * Signs a user out of browsers remotely. The user or an administrator may do so because of an intruder, so unfinished
 * sign-ins, started tasks and scheduled changes, which the intruder may have prepared, end too.
 */
@Injectable()
export class RemoteSignOut {
  constructor(
    private readonly sessions: SsoSessionsRepository,
    private readonly signIns: ActiveGrants,
    private readonly users: UsersService,
  ) {}

  /**
   * @returns the number of sign-ins at apps that ended with the session; null if it is not the user's, or has ended or
   * expired
   */
  async endBrowser(tx: EntityManager, userId: string, id: string): Promise<number | null> {
    // Waits for sign-ins in progress, whose results are then ended below; a sign-in that comes later has to start
    // again.
    await this.users.voidPlans(tx, userId);
    const ended = await this.sessions.endOne(tx, userId, id);
    return ended && (await this.signIns.revokeSession(tx, userId, ended, { areProofsVoid: true }));
  }

  /** Ends everything of the user except one browser session and the sign-ins at apps that began in it. */
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
