import { Injectable } from '@nestjs/common';
import { AppDirectory, type RegisteredClient } from '../../apps/directory/app-directory.js';
import type { User } from '../../users/user.entity.js';
import { type CredentialLists, ListedCredentials } from '../listed-credentials/listed-credentials.js';
import { UsersService } from '../../users/users.service.js';
import type { MailLink } from './mail-link.entity.js';
import { MailLinksService } from './mail-links.service.js';

/** Reads verification links without using them up. */
@Injectable()
export class VerificationLinks {
  constructor(
    private readonly directory: AppDirectory,
    private readonly users: UsersService,
    private readonly links: MailLinksService,
    private readonly credentials: ListedCredentials,
  ) {}

  /** The user and the app of a link, without using it up; null if it is used, expired or for another address. */
  async preview(token: string): Promise<{ user: User; client: RegisteredClient | null } | null> {
    const link = await this.find(token);
    if (!link || !(await this.links.isUsable(token, 'verify_email'))) return null;
    const [user, client] = await Promise.all([
      this.users.find(link.userId),
      link.appId ? this.directory.findOfAnyOrigin(link.appId) : null,
    ]);
    return user && user.emailCanonical === link.emailCanonical ? { user, client } : null;
  }

  /** Lists the credentials that verifying the address on the page would remove, and those that would stay. */
  listWays(user: User, keepsAll: boolean): Promise<CredentialLists> {
    return this.credentials.listAtVerification(user, keepsAll);
  }

  /** Finds a link even if it is used or expired. */
  find(token: string): Promise<MailLink | null> {
    return this.links.find(token, 'verify_email');
  }
}
