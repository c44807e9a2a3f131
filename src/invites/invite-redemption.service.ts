import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { App } from '../apps/app.entity.js';
import { AuditService } from '../audit/audit.service.js';
import type { RequestContext } from '../common/request-context.js';
import { hashOpaqueToken } from '../crypto/opaque-token.js';
import { InvitedEnrollment } from '../enrollment/invited-enrollment.service.js';
import type { User } from '../users/user.entity.js';
import { readInviteCode } from './invite-code.js';
import type { Invite } from './invite.entity.js';
import { InviteeSuspended, InviteNotForThisEmail, InvalidInvite } from './invites.errors.js';
import { InvitesRepository, type InviteNow } from './invites.repository.js';

export interface FoundInvite extends InviteNow {
  /** It is the code of the mail, not used before: whoever has it reads the mailbox of `invite.email`. */
  readonly provesMailbox: boolean;
}

export interface Redeemed {
  readonly invite: Invite;
  readonly provesMailbox: boolean;
  /** False for somebody who was active in the app before. */
  readonly joined: boolean;
}

/** Codes in the hands of those who were invited. */
@Injectable()
export class InviteRedemption {
  constructor(
    private readonly invites: InvitesRepository,
    private readonly enrollments: InvitedEnrollment,
    private readonly audit: AuditService,
  ) {}

  /** Whatever became of it, without using anything up; null for a code that never was. */
  async find(code: string, tx?: EntityManager): Promise<FoundInvite | null> {
    const plain = readInviteCode(code);
    const hash = plain && hashOpaqueToken(plain);
    const found = hash && (await this.invites.findByCode(hash, tx));
    if (!found) return null;
    return { ...found, provesMailbox: found.invite.useCount === 0 && isMailed(found.invite, hash) };
  }

  /** As {@link find}, for somebody who wants to use it at this app. @throws InvalidInvite */
  async getUsable(code: string, appId: string | null, tx?: EntityManager): Promise<FoundInvite> {
    const found = await this.find(code, tx);
    if (found?.status !== 'usable' || (appId !== null && found.invite.appId !== appId)) throw new InvalidInvite();
    return found;
  }

  /**
   * Takes one use and enrols with the invite's roles, in the caller's transaction: a refusal afterwards gives the use
   * back.
   * @param ctx acting as the person who redeems
   * @throws InvalidInvite, InviteNotForThisEmail, InviteeSuspended
   */
  async redeem(
    tx: EntityManager,
    ctx: RequestContext,
    { code, user, app }: { code: string; user: Pick<User, 'id' | 'emailCanonical'>; app: App },
  ): Promise<Redeemed> {
    const plain = readInviteCode(code);
    if (!plain) throw new InvalidInvite();
    const hash = hashOpaqueToken(plain);
    const invite = await this.invites.take(tx, hash, app.id, user.emailCanonical);
    if (!invite) throw await this.refusal(tx, code, app.id, user.emailCanonical);
    const verdict = await this.enrollments.admit(tx, ctx, user.id, app, invite.roles);
    if (verdict === 'suspended') throw new InviteeSuspended();
    await this.audit.record(tx, ctx, 'invite.accepted', {
      userId: user.id,
      tenantId: app.tenantId,
      appId: app.id,
      target: { type: 'invite', id: invite.id },
      metadata: { roles: invite.roles, use: invite.useCount },
    });
    return {
      invite,
      provesMailbox: invite.useCount === 1 && isMailed(invite, hash),
      joined: verdict === 'joined',
    };
  }

  /** On the connection of the transaction: many refused at once must not wait for a second one each. */
  private async refusal(tx: EntityManager, code: string, appId: string, emailCanonical: string): Promise<Error> {
    const { invite } = await this.getUsable(code, appId, tx);
    const isForThem = invite.emailCanonical === null || invite.emailCanonical === emailCanonical;
    return isForThem ? new InvalidInvite() : new InviteNotForThisEmail();
  }
}

function isMailed({ mailedCodeHash }: Invite, hash: Buffer): boolean {
  return mailedCodeHash?.equals(hash) ?? false;
}
