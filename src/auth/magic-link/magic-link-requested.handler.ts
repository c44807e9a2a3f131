import { Injectable } from '@nestjs/common';
import { AppDirectory } from '../../apps/directory/app-directory.js';
import { SecretBox } from '../../crypto/secret-box.js';
import { Transactions } from '../../database/transactions.js';
import { JobHandler, type JobMeta } from '../../delivery/worker/job-handler.js';
import type { Jobs } from '../../delivery/outbox/jobs.js';
import { aadOfCarriedCode, linkRequestKey, openCarriedCode } from '../../invites/redemption/carried-code.js';
import { UsersService } from '../../users/users.service.js';
import { MailLinksService } from '../email-links/mail-links.service.js';
import { allowsMethod } from '../entry/methods/allows-method.rules.js';
import { signInClient } from '../hosted-sign-in/authorization-request/account-client.js';
import type { AuthorizationRequest } from '../hosted-sign-in/authorization-request/authorization-request.js';

declare module '../../delivery/outbox/jobs.js' {
  interface Jobs {
    'auth.magic_link_requested': {
      readonly email: string;
      readonly appId: string;
      readonly request: AuthorizationRequest | null;
    };
  }
}

/**
 * Finds the account for a requested sign-in link. Mails the link only if the account is active and the app allows
 * sign-in links.
 */
@Injectable()
export class MagicLinkRequestedHandler extends JobHandler<'auth.magic_link_requested'> {
  readonly job = 'auth.magic_link_requested';

  constructor(
    private readonly users: UsersService,
    private readonly directory: AppDirectory,
    private readonly links: MailLinksService,
    private readonly transactions: Transactions,
    private readonly box: SecretBox,
  ) {
    super();
  }

  async handle(
    { email, appId, request: stored }: Jobs['auth.magic_link_requested'],
    { finish }: JobMeta,
  ): Promise<void> {
    // Without a registered redirect URI, the link could not continue to the app.
    if (!stored) return;
    const request = openCarriedCode(this.box, stored, aadOfCarriedCode.linkRequest(linkRequestKey(appId, email)));
    const [user, app] = await Promise.all([this.users.findByEmail(email), this.directory.findOpenOfAnyOrigin(appId)]);
    const client = app && signInClient(request, app);
    if (!user?.isActive || !client || !allowsMethod(client.app, 'magic_link')) return;
    await this.transactions.run(async (tx) => {
      if (await finish(tx)) await this.links.mail(tx, 'magic_link', user, client, request);
    });
  }
}
