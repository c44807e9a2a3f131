import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { App } from '../../apps/app/app.entity.js';
import { AuditService } from '../../audit/audit.service.js';
import type { RequestContext } from '../../common/request-context.js';
import { readEmail } from '../../common/validation/email.rules.js';
import { hashOpaqueToken } from '../../crypto/opaque-token.js';
import { InvitedEnrollment } from '../../enrollment/memberships/invited-enrollment.service.js';
import { readInviteCode } from '../invite/invite-code.js';
import type { Invite } from '../invite/invite.entity.js';
import { barOf, type Invitee } from '../invite/invite.rules.js';
import {
  InviteeSuspended,
  InviteMadeWhileActing,
  InviteNotForThisEmail,
  InvalidInvite,
} from '../invite/invites.errors.js';
import { InviterAuthority } from '../invite/inviter-authority.service.js';
import { InvitesRepository, type InviteNow } from '../invite/invites.repository.js';

export interface FoundInvite extends InviteNow {
  /** It is the mailed code, not used before: its holder reads the mailbox of `invite.email`. */
  readonly provesMailbox: boolean;
}

export interface Redeemed {
  readonly invite: Invite;
  readonly provesMailbox: boolean;
  /** False for a user who was active in the app before. */
  readonly joined: boolean;
}

/** The codes that invited users redeem. */
@Injectable()
export class InviteRedemption {
  constructor(
    private readonly invites: InvitesRepository,
    private readonly inviters: InviterAuthority,
    private readonly enrollments: InvitedEnrollment,
    private readonly audit: AuditService,
  ) {}

  /** Whether there is an invite with this code, and for this address if there is one; whatever became of it. */
  async isFor(code: string, email: string | null): Promise<boolean> {
    const plain = readInviteCode(code);
    const found = plain && (await this.invites.findByCode(hashOpaqueToken(plain)));
    if (!found) return false;
    const { emailCanonical } = found.invite;
    return email === null || emailCanonical === null || emailCanonical === readEmail(email)?.canonical;
  }

  /** Whatever became of it, without using anything up; null for a code that never was. */
  async find(code: string, tx?: EntityManager): Promise<FoundInvite | null> {
    const plain = readInviteCode(code);
    const hash = plain && hashOpaqueToken(plain);
    const stored = hash && (await this.invites.findByCode(hash, tx));
    if (!stored) return null;
    const [found] = await this.inviters.judge([stored], tx);
    return { ...found!, provesMailbox: stored.invite.useCount === 0 && isMailed(stored.invite, hash) };
  }

  /**
   * As {@link find}, for a user who wants to use it at this app.
   * @param userId who it is, for the audit log; null: not known
   * @throws InvalidInvite, InviteLapsed
   */
  async getUsable(
    code: string,
    { appId, userId }: { readonly appId: string | null; readonly userId: string | null },
    tx?: EntityManager,
  ): Promise<FoundInvite> {
    const found = await this.find(code, tx);
    if (!found || (appId !== null && found.invite.appId !== appId)) throw new InvalidInvite();
    if (found.status === 'lapsed') throw await this.inviters.refusal(found.invite, userId);
    if (found.status !== 'usable') throw new InvalidInvite();
    return found;
  }

  /**
   * Takes one use and enrolls with the invite's roles, in the caller's transaction: a refusal afterwards gives the use
   * back. A user who has everything that it gives needs none.
   * @param ctx acting as the user who redeems
   * @throws InvalidInvite, InviteLapsed, InviteNotForThisEmail, InviteMadeWhileActing, InviteeSuspended
   */
  async redeem(
    tx: EntityManager,
    ctx: RequestContext,
    { code, user, app }: { code: string; user: Invitee; app: App },
  ): Promise<Redeemed> {
    const plain = readInviteCode(code);
    if (!plain) throw new InvalidInvite();
    const hash = hashOpaqueToken(plain);
    const found = await this.invites.findByCode(hash, tx);
    if (found?.status === 'usable' && found.invite.appId === app.id)
      await this.inviters.hold(tx, found.invite, app, user.id);
    const invite = await this.invites.take(tx, hash, app.id, user);
    if (!invite) throw await this.refusal(tx, code, app, user);
    const verdict = await this.enrollments.admit(tx, ctx, user.id, app, invite);
    if (verdict === 'suspended') throw new InviteeSuspended();
    const provesMailbox = invite.useCount === 1 && isMailed(invite, hash);
    // A second click, or a member trying a shared code, must not cost others their place. What was mailed is spent.
    if (verdict === 'unchanged' && invite.emailCanonical === null) await this.invites.giveBack(tx, invite.id);
    else await this.recordAccepted(tx, ctx, user.id, app, invite);
    return { invite, provesMailbox, joined: verdict === 'joined' };
  }

  private recordAccepted(
    tx: EntityManager,
    ctx: RequestContext,
    userId: string,
    app: App,
    invite: Invite,
  ): Promise<void> {
    return this.audit.record(tx, ctx, 'invite.accepted', {
      userId,
      tenantId: app.tenantId,
      appId: app.id,
      target: { type: 'invite', id: invite.id },
      metadata: { roles: invite.roles, use: invite.useCount },
    });
  }

  /** On the connection of the transaction: many refused at once must not wait for a second one each. */
  private async refusal(tx: EntityManager, code: string, app: App, user: Invitee): Promise<Error> {
    const { invite } = await this.getUsable(code, { appId: app.id, userId: user.id }, tx);
    switch (barOf(invite, user)) {
      case null:
        return new InvalidInvite();
      case 'mailed_to_another':
        return new InviteNotForThisEmail();
      case 'made_acting':
        return new InviteMadeWhileActing({
          userId: user.id,
          tenantId: app.tenantId,
          appId: app.id,
          target: { type: 'invite', id: invite.id },
          outcome: 'denied',
          metadata: { reason: 'made_while_acting' },
        });
    }
  }
}

function isMailed({ mailedCodeHash }: Invite, hash: Buffer): boolean {
  return mailedCodeHash?.equals(hash) ?? false;
}
