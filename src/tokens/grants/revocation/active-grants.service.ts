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
 * Not `owner`: the signed-out device will legitimately use its token once more, which must not look like a theft and
 * end all of the user's sign-ins in the app.
 */
const REASON = 'signed_out';

/** Changes that users make themselves after they have authenticated. */
export type OwnChange = 'own_password' | 'own_email';

/** A user's sign-ins with refresh tokens, for the user to see and end. */
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
   * Ends a sign-in from another device, notifies its app, and ends changes that were scheduled with it: if the owner does it, all of the
   * user's scheduled changes; if an administrator does it, those that were scheduled with sign-ins to this app, which
   * the database records.
   * @returns whether it was an active sign-in of the user
   */
  async revoke(tx: EntityManager, userId: string, id: string, by: 'owner' | 'admin'): Promise<boolean> {
    // Must be locked before the family, as in the deletion of the account.
    await this.users.lock(tx, userId);
    if (by === 'owner') await this.users.voidPlans(tx, userId);
    const ended = await this.repository.revoke(tx, userId, id, by === 'owner' ? REASON : 'ended_by_admin');
    if (ended) await this.notices.enqueueForSignIn(tx, userId, ended);
    return ended !== null;
  }

  /**
   * Ends everything that began in one browser session, which has just ended, and notifies the apps. Every end of a
   * session calls this.
   * @param areProofsVoid whether the caller has voided the user's proofs and so has locked their row
   * @returns how many
   */
  async revokeSession(
    tx: EntityManager,
    userId: string,
    session: SessionMark,
    { areProofsVoid = false }: { readonly areProofsVoid?: boolean } = {},
  ): Promise<number> {
    const ended = await this.repository.revokeBySession(tx, userId, { of: session }, REASON, { areProofsVoid });
    // After the revocation, which waits for codes that are being exchanged: their apps are notified, too.
    await this.notices.enqueueForSessions(tx, userId, [session.sid]);
    return ended.length;
  }

  /**
   * Ends every browser session, refresh token and access token of the user, and everything else that is {@link
   * RevokedWithUser}, and notifies the apps. Users who change their own password or address keep the rest, because they
   * have just authenticated.
   */
  async revokeAllSessionsAndTokens(
    tx: EntityManager,
    ctx: RequestContext,
    userId: string,
    reason: RevocationReason | OwnChange,
  ): Promise<void> {
    // Must come before the lookup of the apps to notify, so that an app which the user is just entering is included.
    await this.users.lock(tx, userId);
    await this.notices.enqueueForAllApps(tx, userId);
    await this.users.revokeAllSessionsAndTokens(tx, userId);
    if (reason !== 'own_password' && reason !== 'own_email') await this.revokeRest(tx, ctx, userId, reason);
  }

  /**
   * Ends everything that did not begin in this session, and everything that is {@link RevokedWithUser}. Notifies the
   * apps that were entered from the ended browser sessions, and those of the other ended sign-ins: a sign-in lasts
   * longer than the browser session in which it began. The caller has voided the user's proofs.
   * @returns how many
   */
  async revokeOthers(
    tx: EntityManager,
    ctx: RequestContext,
    userId: string,
    session: SessionMark,
    endedSids: readonly string[],
  ): Promise<number> {
    const ended = await this.repository.revokeBySession(tx, userId, { allBut: session }, REASON, {
      areProofsVoid: true,
    });
    const sids = new Set(endedSids);
    const appsWithoutSession = new Set<string>();
    for (const { appId, sid } of ended)
      if (sid === null) appsWithoutSession.add(appId);
      else sids.add(sid);
    await this.notices.enqueueForSessions(tx, userId, [...sids]);
    await this.notices.enqueueWithoutSession(tx, userId, [...appsWithoutSession], session.sid);
    await this.revokeRest(tx, ctx, userId, 'signed_out_everywhere');
    return ended.length;
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
