import { Injectable, Logger } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { isSelfRegistered } from '../../apps/app/app-origin.rules.js';
import type { App } from '../../apps/app/app.entity.js';
import { AppRegisteredItself } from '../../apps/app/apps.errors.js';
import { Randomness } from '../../common/randomness.js';
import type { RequestContext } from '../../common/request-context.js';
import { readEmail } from '../../common/validation/email.rules.js';
import { InvalidInput } from '../../common/validation/invalid-input.js';
import { hashOpaqueToken } from '../../crypto/opaque-token.js';
import { SecretBox } from '../../crypto/secret-box.js';
import { needsConfirmation, requireConfirmation } from '../../enrollment/authority/new-authority.rules.js';
import { InviteMail } from './invite-mail.js';
import { newInviteCode } from '../invite/invite-code.js';
import type { Invite } from '../invite/invite.entity.js';
import { InviterAuthority } from '../invite/inviter-authority.service.js';
import type { ShownInvite } from '../invite/invite.view.js';
import { InvitesRepository, type InviteWithStatus } from '../invite/invites.repository.js';

const DAY = 86_400;

export interface InviteTerms {
  readonly app: App;
  readonly roles: readonly string[];
  readonly maxUses: number;
  readonly days: number;
  /** Recipient of the mail. The invite is valid for this address only. */
  readonly email: string | null;
  /** See `Invite.madeActingBy`. */
  readonly madeActingBy: string | null;
}

/** An invite, and its app. */
export interface InviteOf {
  readonly app: Pick<App, 'isConsoleApp'>;
  readonly now: InviteWithStatus;
}

/**
 * Creates invites and their mails. A mailed invite has two codes: one is shown to administrators, the other is only in
 * the mail. Only the mailed code proves access to the mailbox; otherwise every operator who can invite could sign in as
 * any user.
 */
@Injectable()
export class InviteMaker {
  private readonly logger = new Logger(InviteMaker.name);

  constructor(
    private readonly invites: InvitesRepository,
    private readonly mail: InviteMail,
    private readonly inviters: InviterAuthority,
    private readonly box: SecretBox,
    private readonly randomness: Randomness,
  ) {}

  /** Counts the mail, if there is one; see {@link InviteMail.count}. @throws RateLimited, as {@link make} */
  async countMail(ctx: RequestContext, terms: Pick<InviteTerms, 'app' | 'roles' | 'email'>): Promise<void> {
    const address = readAddress(terms.email);
    checkAllowed(ctx, terms);
    if (address) await this.mail.count(terms.app, address.typed);
  }

  /**
   * Writes the row and queues its mail, in the caller's transaction, after {@link countMail}. @throws InvalidInput for a
   * refused address, AppRegisteredItself, InsufficientPermissions if the invite of a server gives authority,
   * ReauthenticationRequired if it gives authority and the sign-in is not recent
   */
  async make(tx: EntityManager, ctx: RequestContext, terms: InviteTerms): Promise<ShownInvite> {
    const { app } = terms;
    checkAllowed(ctx, terms);
    const email = readAddress(terms.email);
    const id = this.randomness.uuid();
    const { code, ...stored } = storedCode(id, this.box, this.randomness);
    const mailed = email === null ? null : newInviteCode(this.randomness);
    const created = await this.invites.insert(
      tx,
      {
        id,
        appId: app.id,
        ...stored,
        mailedCodeHash: mailed === null ? null : hashOpaqueToken(mailed),
        roles: terms.roles.length > 0 ? [...new Set(terms.roles)] : ['user'],
        maxUses: terms.maxUses,
        email: email?.typed ?? null,
        emailCanonical: email?.canonical ?? null,
        madeActingBy: terms.madeActingBy,
        madeByUser: ctx.actor.type === 'user',
        createdBy: ctx.actor.type === 'user' ? ctx.actor.userId : null,
      },
      terms.days * DAY,
    );
    if (mailed) await this.mail.send(tx, app, created.invite, mailed, terms.days * DAY);
    return { ...created, code, isCodeWithheld: false };
  }

  /** Adds the code that administrators see. */
  async show(ctx: RequestContext, invites: readonly InviteOf[]): Promise<ShownInvite[]> {
    const appOf = new Map(invites.map(({ app, now }) => [now.invite.id, app]));
    const judged = await this.inviters.judge(invites.map(({ now }) => now));
    return judged.map((now) =>
      isWithheld(ctx, appOf.get(now.invite.id)!, now)
        ? { ...now, code: null, isCodeWithheld: true }
        : { ...now, code: this.codeOf(now.invite), isCodeWithheld: false },
    );
  }

  private codeOf({ id, codeSealed }: Invite): string | null {
    try {
      return this.box.open(codeSealed, aadOfInviteCode(id));
    } catch (error) {
      // A code that cannot be decrypted must not hide the other invites of a list.
      this.logger.error(`Invite ${id}: ${(error as Error).message}`);
      return null;
    }
  }
}

/**
 * Whether the code of an invite is worth as much as the authority that it gives: its reader could use it for an account
 * of their own, also a new one with the address of the invite. Then it requires the same sign-in as a new invite.
 */
function isWithheld(
  { actor, signedInRecently }: RequestContext,
  app: Pick<App, 'isConsoleApp'>,
  { invite: { roles }, status }: InviteWithStatus,
): boolean {
  if (actor.type !== 'user' || signedInRecently === true) return false;
  const mayBeUsed = status === 'usable' || status === 'lapsed';
  return mayBeUsed && needsConfirmation(app, null, roles);
}

/**
 * An invite gives its roles when it is used, but its creator confirms them now. Users join a self-registered client by
 * their own consent only.
 */
function checkAllowed(ctx: RequestContext, { app, roles }: Pick<InviteTerms, 'app' | 'roles'>): void {
  if (isSelfRegistered(app)) throw new AppRegisteredItself();
  if (needsConfirmation(app, null, roles)) requireConfirmation(ctx);
}

function readAddress(sent: string | null): ReturnType<typeof readEmail> {
  const email = sent === null ? null : readEmail(sent);
  if (sent !== null && !email) throw InvalidInput.field('send_to_email', 'value is not a valid email address');
  return email;
}

/** A new code for administrators, with the columns that store it. */
export function storedCode(
  inviteId: string,
  box: SecretBox,
  randomness: Randomness,
): Pick<Invite, 'codeHash' | 'codeSealed'> & { readonly code: string } {
  const code = newInviteCode(randomness);
  return { code, codeHash: hashOpaqueToken(code), codeSealed: box.seal(code, aadOfInviteCode(inviteId)) };
}

/** Additional authenticated data of the encrypted code. */
export function aadOfInviteCode(id: string): string {
  return `invites:${id}`;
}
