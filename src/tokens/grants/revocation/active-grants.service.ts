import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import type { EntityManager } from 'typeorm';
import { discover } from '../../../common/discovered.js';
import type { RequestContext } from '../../../common/request-context.js';
import { RevokedWithUser, type RevocationReason } from '../../../users/revoked-with-user.js';
import { UsersService } from '../../../users/users.service.js';
import { LogoutNotices } from '../../logout/logout-notices.service.js';
import { type ActiveGrant, ActiveGrantsRepository, type SessionMark } from './active-grants.repository.js';

/**
 * Not `owner`: the device that is signed out comes back with its token once more, by no fault of its own, and that must
 * not look like a theft and end everything of the user in the app.
 */
const REASON = 'signed_out';

/** What users change themselves, after they have proven who they are. */
export type OwnChange = 'own_password' | 'own_email';

/** What of a user is signed in by refresh tokens, for the user to look at and to end. */
@Injectable()
export class ActiveGrants implements OnModuleInit {
  private revokedWithUser: readonly RevokedWithUser[] = [];

  constructor(
    private readonly repository: ActiveGrantsRepository,
    private readonly users: UsersService,
    private readonly notices: LogoutNotices,
    private readonly discovery: DiscoveryService,
  ) {}

  onModuleInit(): void {
    this.revokedWithUser = discover(this.discovery, RevokedWithUser);
  }

  /** Newest first. */
  list(userId: string, limit: number): Promise<ActiveGrant[]> {
    return this.repository.list(userId, limit);
  }

  /**
   * From elsewhere, so that what was planned there ends too: by the owner all that they have planned, by an administrator what they
   * have planned with sign-ins to this app, which the database writes down.
   * @returns whether it was theirs and alive
   */
  async revoke(tx: EntityManager, userId: string, id: string, by: 'owner' | 'admin'): Promise<boolean> {
    // Before the family, as the deletion of the account does.
    await this.users.lock(tx, userId);
    if (by === 'owner') await this.users.voidPlans(tx, userId);
    return this.repository.revoke(tx, userId, id, by === 'owner' ? REASON : 'ended_by_admin');
  }

  /**
   * Everything that came from one browser session, which has just ended; the apps are notified. Every end of a session
   * comes here.
   * @param areProofsVoid the caller has voided the user's proofs and so holds their row
   * @returns how many
   */
  async revokeSession(tx: EntityManager, userId: string, session: SessionMark, areProofsVoid = false): Promise<number> {
    await this.notices.enqueueForSessions(tx, userId, [session.sid]);
    return this.repository.revokeBySession(tx, userId, { of: session }, REASON, areProofsVoid);
  }

  /**
   * Every browser session, refresh token and access token of theirs, and whatever else is {@link RevokedWithUser}; the
   * apps are notified. Users who change their own password or address keep the rest: they have just shown that it is theirs.
   */
  async revokeAllSessionsAndTokens(
    tx: EntityManager,
    ctx: RequestContext,
    userId: string,
    reason: RevocationReason | OwnChange,
  ): Promise<void> {
    // Before the apps to be told are looked up: one that is just being entered is to be among them.
    await this.users.lock(tx, userId);
    await this.notices.enqueueForAllApps(tx, userId);
    await this.users.revokeAllSessionsAndTokens(tx, userId);
    if (reason !== 'own_password' && reason !== 'own_email') await this.revokeRest(tx, ctx, userId, reason);
  }

  /**
   * Everything but what came from this session, and whatever else is {@link RevokedWithUser}; the apps that were entered
   * from the browser sessions that have just ended are notified. The caller has voided the user's proofs.
   * @returns how many
   */
  async revokeOthers(
    tx: EntityManager,
    ctx: RequestContext,
    userId: string,
    session: SessionMark,
    endedSids: readonly string[],
  ): Promise<number> {
    await this.notices.enqueueForSessions(tx, userId, endedSids);
    const ended = await this.repository.revokeBySession(tx, userId, { allBut: session }, REASON, true);
    await this.revokeRest(tx, ctx, userId, 'signed_out_everywhere');
    return ended;
  }

  private async revokeRest(
    tx: EntityManager,
    ctx: RequestContext,
    userId: string,
    reason: RevocationReason,
  ): Promise<void> {
    for (const rest of this.revokedWithUser) await rest.revoke(tx, ctx, userId, reason);
  }
}
