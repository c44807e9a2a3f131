import { Injectable } from '@nestjs/common';
import { AppDirectory } from '../../apps/directory/app-directory.js';
import { Transactions } from '../../database/transactions.js';
import { RateLimitsService } from '../../rate-limits/rate-limits.service.js';
import { UsersService } from '../../users/users.service.js';
import { MailLinksService } from './mail-links.service.js';

/** Requests for a verification link. */
@Injectable()
export class VerificationRequests {
  constructor(
    private readonly directory: AppDirectory,
    private readonly users: UsersService,
    private readonly links: MailLinksService,
    private readonly limits: RateLimitsService,
    private readonly transactions: Transactions,
  ) {}

  /** Mails a link to the user's address, unless the address is verified or too many links were requested. */
  async request(userId: string, appId: string | null): Promise<void> {
    const { allowed } = await this.limits.tryConsume('send_verification', userId);
    if (!allowed) return;
    const [user, client] = await Promise.all([
      this.users.find(userId),
      appId ? this.directory.findOpenOfAnyOrigin(appId) : null,
    ]);
    if (!user || user.emailVerified) return;
    await this.transactions.run((tx) => this.links.mail(tx, 'verify_email', user, client));
  }
}
