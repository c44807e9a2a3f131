import { Injectable } from '@nestjs/common';
import type { RegisteredClient } from '../../apps/directory/app-directory.js';
import type { RequestContext } from '../../common/request-context.js';
import { AccountChanges } from '../../enrollment/memberships/account-changes.js';
import type { Proof } from '../../users/proof.js';
import { UsersService } from '../../users/users.service.js';
import { AccountRemoval } from '../account-removal/account-removal.js';
import { AccountAdministers, InvalidLink } from '../entry/auth.errors.js';
import { keptAtVerification } from './kept-credentials.rules.js';
import { MailLinksService } from './mail-links.service.js';
import { MailboxProofService } from './mailbox-proof.service.js';

/** The user who confirms an address, and the way it is done. */
export interface Confirmation {
  /** Whose session the browser has; null: it has none. */
  readonly session: Proof | null;
  /** They have seen the ways to sign in, and said that they created the account. */
  readonly saysCreated: boolean;
  /** Where a user who has no password any more is led to set one; undefined: they are led nowhere. */
  readonly passwordFor?: RegisteredClient | null;
}

/** Proof that an address is the account holder's. It gives no session. */
@Injectable()
export class EmailVerificationService {
  constructor(
    private readonly users: UsersService,
    private readonly links: MailLinksService,
    private readonly proof: MailboxProofService,
    private readonly changes: AccountChanges,
    private readonly removal: AccountRemoval,
  ) {}

  /**
   * What was set up before stays only as `keptAtVerification` says.
   * @returns a link to set a password, which the same proof carries; null where none is asked for or needed
   * @throws InvalidLink
   */
  async verify(
    ctx: RequestContext,
    token: string,
    { session, saysCreated, passwordFor }: Confirmation,
  ): Promise<string | null> {
    const found = await this.links.find(token, 'verify_email');
    if (!found) throw new InvalidLink();
    return this.changes.run(found.userId, async (tx) => {
      await this.users.lock(tx, found.userId);
      const link = await this.links.consume(tx, token, 'verify_email');
      const user = link && (await this.users.find(link.userId, tx));
      if (!user || user.emailCanonical !== link.emailCanonical) throw new InvalidLink();
      const isSignedIn = session?.userId === user.id && session.credentialsVersion === user.credentialsVersion;
      const kept = keptAtVerification(user, { isSignedIn, saysCreated });
      if (!(await this.proof.accept(tx, ctx, user, link.emailCanonical, { by: 'link', kept }))) return null;
      const now = await this.users.get(user.id, tx);
      if (passwordFor === undefined || now.passwordHash !== null) return null;
      // A user without a password who keeps everything has another way in.
      if (kept === 'all' && user.passwordHash === null) return null;
      return this.links.make(tx, 'reset_password', now, passwordFor, link.request);
    });
  }

  /** "This was not me": removes an account that was created with another person's address. @throws InvalidLink, AccountAdministers */
  async disown(ctx: RequestContext, token: string): Promise<void> {
    const found = await this.links.find(token, 'verify_email');
    if (!found) throw new InvalidLink();
    await this.changes.run(found.userId, async (tx) => {
      await this.users.lock(tx, found.userId);
      const link = await this.links.consume(tx, token, 'verify_email');
      const user = link && (await this.users.find(link.userId, tx));
      if (!user || user.emailVerified || user.emailCanonical !== link.emailCanonical) throw new InvalidLink();
      if (!(await this.removal.removeUnproven(tx, ctx, user))) throw new AccountAdministers();
    });
  }
}
