import { Injectable } from '@nestjs/common';
import type { RegisteredClient } from '../../apps/directory/app-directory.js';
import type { RequestContext } from '../../common/request-context.js';
import type { Proof } from '../../users/proof.js';
import { UsersService } from '../../users/users.service.js';
import { type Disowned, DisownedAccounts } from '../account-removal/disowned-accounts.js';
import { RemovalTransactions } from '../account-removal/removal-transactions.js';
import { AccountAdministers, InvalidLink } from '../entry/auth.errors.js';
import { keptAtVerification } from './kept-credentials.rules.js';
import { MailLinksService } from './mail-links.service.js';
import { MailboxProofService } from './mailbox-proof.service.js';

/** What is known about the user who confirms an address, and what they are offered afterwards. */
export interface Confirmation {
  /** The user of the browser's session; null: the browser has none. */
  readonly session: Proof | null;
  /** On the page that lists the account's sign-in methods, the user has answered that they created the account. */
  readonly saysCreated: boolean;
  /**
   * The app for which a user who has no password afterwards gets a link to set one, or null for no app; undefined: no
   * link.
   */
  readonly passwordFor?: RegisteredClient | null;
}

/** Verifies the address of an account with a mailed link. It begins no session. */
@Injectable()
export class EmailVerificationService {
  constructor(
    private readonly users: UsersService,
    private readonly links: MailLinksService,
    private readonly proof: MailboxProofService,
    private readonly transactions: RemovalTransactions,
    private readonly disowned: DisownedAccounts,
  ) {}

  /**
   * Of the credentials that were set up before, only those of `keptAtVerification` stay.
   * @returns URL to set a password, because the link has proven the same mailbox as a reset mail would; null if none is
   *   requested or needed
   * @throws InvalidLink
   */
  async verify(
    ctx: RequestContext,
    token: string,
    { session, saysCreated, passwordFor }: Confirmation,
  ): Promise<string | null> {
    const found = await this.links.find(token, 'verify_email');
    if (!found) throw new InvalidLink();
    return this.transactions.run(found.userId, async (tx) => {
      await this.users.lock(tx, found.userId);
      const link = await this.links.consume(tx, token, 'verify_email');
      const user = link && (await this.users.find(link.userId, tx));
      if (!user || user.emailCanonical !== link.emailCanonical) throw new InvalidLink();
      const isSignedIn = session?.userId === user.id && session.credentialsVersion === user.credentialsVersion;
      const kept = keptAtVerification(user, { isSignedIn, saysCreated });
      if (!(await this.proof.accept(tx, ctx, user, link.emailCanonical, { by: 'link', kept }))) return null;
      const now = await this.users.get(user.id, tx);
      if (passwordFor === undefined || now.passwordHash !== null) return null;
      // A user without a password who keeps everything has another way to sign in.
      if (kept === 'all' && user.passwordHash === null) return null;
      return this.links.make(tx, 'reset_password', now, passwordFor, link.request);
    });
  }

  /**
   * "No, remove this account": deletes an account that was created with another person's address.
   * @returns whether a new account keeps the address
   * @throws InvalidLink, AccountAdministers
   */
  async disown(ctx: RequestContext, token: string): Promise<Exclude<Disowned, 'kept'>> {
    const found = await this.links.find(token, 'verify_email');
    if (!found) throw new InvalidLink();
    return this.transactions.run(found.userId, async (tx) => {
      await this.users.lock(tx, found.userId);
      const link = await this.links.consume(tx, token, 'verify_email');
      const user = link && (await this.users.find(link.userId, tx));
      if (!user || user.emailVerified || user.emailCanonical !== link.emailCanonical) throw new InvalidLink();
      const disowned = await this.disowned.disown(tx, ctx, user);
      if (disowned === 'kept') throw new AccountAdministers();
      return disowned;
    });
  }
}
