import { Injectable } from '@nestjs/common';
import { AppDirectory, type RegisteredClient } from '../../../apps/directory/app-directory.js';
import { UsersService } from '../../../users/users.service.js';
import type { MailLink } from '../../email-links/mail-link.entity.js';
import { MailLinksService } from '../../email-links/mail-links.service.js';
import { MailboxLinks } from '../../email-links/mailbox-links.service.js';
import { type PasswordOwner, PasswordPolicyService } from '../password/password-policy.service.js';

/** A valid reset link, and the app at which it was requested. */
export interface UsableResetLink {
  readonly link: MailLink;
  readonly client: RegisteredClient | null;
}

/** Reads reset links without using them up. */
@Injectable()
export class ResetLinks {
  constructor(
    private readonly links: MailLinksService,
    private readonly mailboxLinks: MailboxLinks,
    private readonly directory: AppDirectory,
    private readonly policy: PasswordPolicyService,
    private readonly users: UsersService,
  ) {}

  /** Null if it is used, expired or replaced, or the credentials have been changed since. */
  async find(token: string): Promise<UsableResetLink | null> {
    const link = await this.links.find(token, 'reset_password');
    if (!link || !(await this.mailboxLinks.isUsable(token, 'reset_password'))) return null;
    return { link, client: link.appId ? await this.directory.findOfAnyOrigin(link.appId) : null };
  }

  /** Used up or not. */
  findAny(token: string): Promise<MailLink | null> {
    return this.links.find(token, 'reset_password');
  }

  /** The owner of the password, for the password policy. */
  async ownerOf({ userId, emailCanonical }: MailLink): Promise<PasswordOwner> {
    const { displayName } = await this.users.get(userId);
    return { userId, email: emailCanonical, displayName };
  }

  /** Data for the page of the link; null as {@link find}. */
  async preview(token: string): Promise<{ client: RegisteredClient | null; minimum: number } | null> {
    const found = await this.find(token);
    if (!found) return null;
    const { link, client } = found;
    return { client, minimum: await this.policy.minimum(link.userId, client?.tenant ?? null) };
  }
}
