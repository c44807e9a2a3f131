import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { isSelfRegistered } from '../../apps/app/app-origin.rules.js';
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
import { InvitesRepository, type InviteWithStatus } from '../invite/invites.repository.js';

export interface FoundInvite extends InviteWithStatus {
  /** True for the mailed code if it is unused: the user has access to the mailbox of `invite.email`. */
  readonly provesMailbox: boolean;
}

export interface RedeemedInvite {
  readonly invite: Invite;
  readonly provesMailbox: boolean;
  /** False if the user was already active in the app. */
  readonly joined: boolean;
}

/** Redeems invite codes. */
@Injectable()
export class InviteRedemption {
  constructor(
    private readonly invites: InvitesRepository,
    private readonly inviters: InviterAuthority,
    private readonly enrollments: InvitedEnrollment,
    private readonly audit: AuditService,
  ) {}

  /** Whether an invite has this code, and is valid for the address if there is one; in any state. */
  async isFor(code: string, email: string | null): Promise<boolean> {
    const plain = readInviteCode(code);
    const found = plain && (await this.invites.findByCode(hashOpaqueToken(plain)));
    if (!found) return false;
    const { emailCanonical } = found.invite;
    return email === null || emailCanonical === null || emailCanonical === readEmail(email)?.canonical;
  }

  /** Finds an invite in any state, without taking a use; null for an unknown code. */
  async find(code: string, tx?: EntityManager): Promise<FoundInvite | null> {
    const plain = readInviteCode(code);
    const hash = plain && hashOpaqueToken(plain);
    const stored = hash && (await this.invites.findByCode(hash, tx));
    if (!stored) return null;
    const [found] = await this.inviters.judge([stored], tx);
    return { ...found!, provesMailbox: stored.invite.useCount === 0 && isMailed(stored.invite, hash) };
  }

  /**
   * As {@link find}, for a user who wants to use it for this app.
   * @param userId for the audit log; null: unknown
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
   * Takes one use and enrolls with the invite's roles, in the caller's transaction, so that a later refusal gives the
   * use back. A member who already has all roles of the invite takes none, unless it is a mailed one.
   * @param ctx with the user who redeems as the actor
   * @throws InvalidInvite, InviteLapsed, InviteNotForThisEmail, InviteMadeWhileActing, InviteeSuspended
   */
  async redeem(
    tx: EntityManager,
    ctx: RequestContext,
    { code, user, app }: { code: string; user: Invitee; app: App },
  ): Promise<RedeemedInvite> {
    const plain = readInviteCode(code);
    // Users join a self-registered client by their consent only; earlier versions made invites to them.
    if (!plain || isSelfRegistered(app)) throw new InvalidInvite();
    const hash = hashOpaqueToken(plain);
    const found = await this.invites.findByCode(hash, tx);
    if (found?.status === 'usable' && found.invite.appId === app.id)
      await this.inviters.hold(tx, found.invite, app, user.id);
    const invite = await this.invites.take(tx, hash, app.id, user);
    if (!invite) throw await this.refusal(tx, code, app, user);
    const verdict = await this.enrollments.admit(tx, ctx, user.id, app, invite);
    if (verdict === 'suspended') throw new InviteeSuspended();
    const provesMailbox = invite.useCount === 1 && isMailed(invite, hash);
    // A second click, or a member who tries a shared code, must not take a use from others. A mailed code is spent.
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

  /** Uses the connection of the transaction: many concurrent refusals must not each wait for a second one. */
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
