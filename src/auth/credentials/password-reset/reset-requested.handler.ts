import { Injectable } from '@nestjs/common';
import { AppDirectory } from '../../../apps/directory/app-directory.js';
import { Transactions } from '../../../database/transactions.js';
import { JobHandler, type JobMeta } from '../../../delivery/worker/job-handler.js';
import type { Jobs } from '../../../delivery/outbox/jobs.js';
import { UsersService } from '../../../users/users.service.js';
import type { RequestingAttempt } from '../../email-links/link-continuations.js';
import { MailLinksService } from '../../email-links/mail-links.service.js';

declare module '../../../delivery/outbox/jobs.js' {
  interface Jobs {
    'auth.reset_requested': {
      readonly email: string;
      readonly appId: string;
      /** Absent in jobs of earlier versions. */
      readonly askedIn?: RequestingAttempt | null;
    };
  }
}

/** Finds the account for a requested reset, and mails its link. */
@Injectable()
export class ResetRequestedHandler extends JobHandler<'auth.reset_requested'> {
  readonly job = 'auth.reset_requested';

  constructor(
    private readonly users: UsersService,
    private readonly directory: AppDirectory,
    private readonly links: MailLinksService,
    private readonly transactions: Transactions,
  ) {
    super();
  }

  async handle({ email, appId, askedIn = null }: Jobs['auth.reset_requested'], { finish }: JobMeta): Promise<void> {
    const [user, client] = await Promise.all([
      this.users.findByEmail(email),
      this.directory.findOpenOfAnyOrigin(appId),
    ]);
    if (!user?.isActive || !client) return;
    await this.transactions.run(async (tx) => {
      if (await finish(tx)) await this.links.mail(tx, 'reset_password', user, client, askedIn);
    });
  }
}
