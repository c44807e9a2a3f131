import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { AuditService } from '../../audit/audit.service.js';
import { NO_AUTHORITY } from '../../common/actor.js';
import { Randomness } from '../../common/randomness.js';
import type { RequestContext } from '../../common/request-context.js';
import { hashOpaqueToken, newOpaqueToken } from '../../crypto/opaque-token.js';
import { ActiveGrants } from '../../tokens/grants/revocation/active-grants.service.js';
import type { HeldProof } from '../../users/proof-guard.js';
import { SSO_SESSION_SECONDS } from './sso-cookie.js';
import { SsoSessionsRepository } from './sso-sessions.repository.js';

/** When and how a user authenticated (RFC 8176). */
export interface SessionFacts {
  readonly authTime: Date;
  readonly amr: readonly string[];
}

/** Opens a session in place of the one that the browser had. */
@Injectable()
export class SessionReplacement {
  constructor(
    private readonly sessions: SsoSessionsRepository,
    private readonly grants: ActiveGrants,
    private readonly audit: AuditService,
    private readonly randomness: Randomness,
  ) {}

  /**
   * The audit log gets an entry, unless a live session of the same user goes on with its `sid`.
   * @param replaced value of the SSO cookie of the request; null without one
   * @param isSignIn false: the user has changed the account, which may have ended all sessions in this transaction
   * @returns `token`: the value of the new cookie; `sid`: what apps get; `isSameUser`: whether it replaced a session of
   *   the same user
   */
  async replace(
    tx: EntityManager,
    ctx: RequestContext,
    held: HeldProof,
    facts: SessionFacts,
    replaced: string | null,
    isSignIn = true,
  ): Promise<{ token: string; sid: string; isSameUser: boolean }> {
    const before = replaced ? await this.sessions.end(tx, hashOpaqueToken(replaced), held.userId) : null;
    const isSameUser = before?.userId === held.userId;
    if (before && !isSameUser) await this.grants.revokeSession(tx, before.userId, before);
    const { token, hash } = newOpaqueToken(this.randomness);
    const id = this.randomness.uuid();
    const sid = isSameUser ? before.sid : id;
    const { email } = await this.sessions.insert(
      tx,
      held,
      { id, sid, tokenHash: hash, ...facts, ipAddress: ctx.ip, userAgent: ctx.userAgent },
      SSO_SESSION_SECONDS,
    );
    const goesOn = isSameUser && (before.wasLive || !isSignIn);
    if (!goesOn) await this.record(tx, ctx, { id, userId: held.userId, email });
    return { token, sid, isSameUser };
  }

  /** By the user: the request of a sign-in is anonymous until now. */
  private record(
    tx: EntityManager,
    ctx: RequestContext,
    { id, userId, email }: { id: string; userId: string; email: string },
  ): Promise<void> {
    const actor = { type: 'user', userId, email, audience: '', viaApp: null, authority: NO_AUTHORITY } as const;
    const target = { type: 'sso_session', id };
    return this.audit.record(tx, { ...ctx, actor }, 'session.created', { userId, target });
  }
}
