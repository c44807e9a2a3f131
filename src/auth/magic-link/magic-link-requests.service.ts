import { Injectable } from '@nestjs/common';
import type { RequestContext } from '../../common/request-context.js';
import { SecretBox } from '../../crypto/secret-box.js';
import { Outbox } from '../../delivery/outbox/outbox.service.js';
import { aadOfCarriedCode, linkRequestKey, sealCarriedCode } from '../../invites/redemption/carried-code.js';
import { UsersService } from '../../users/users.service.js';
import { LinkRequests } from '../email-links/link-requests.service.js';
import { MailLinksService } from '../email-links/mail-links.service.js';
import {
  type AuthorizationRequest,
  mailedRequest,
} from '../hosted-sign-in/authorization-request/authorization-request.js';

/** Requests for a sign-in link; {@link MagicLinkRequestedHandler} mails it. */
@Injectable()
export class MagicLinkRequests {
  constructor(
    private readonly requests: LinkRequests,
    private readonly outbox: Outbox,
    private readonly links: MailLinksService,
    private readonly users: UsersService,
    private readonly box: SecretBox,
  ) {}

  /** Does the same for a known and an unknown address: see {@link LinkRequests}. */
  request(ctx: RequestContext, email: string, appId: string, request: AuthorizationRequest | null): Promise<void> {
    const mailed = request && mailedRequest(request);
    return this.requests.accept(ctx, { email, appId }, { user: 'magic_link' }, (tx, emailCanonical, options) => {
      const row = aadOfCarriedCode.linkRequest(linkRequestKey(appId, emailCanonical));
      const payload = { email: emailCanonical, appId, request: mailed && sealCarriedCode(this.box, mailed, row) };
      return this.outbox.add(tx, 'mail', 'auth.magic_link_requested', payload, options);
    });
  }

  /**
   * Requests another link for the user and the authorization request of this link, even if this one is used or expired.
   */
  async renew(ctx: RequestContext, token: string): Promise<void> {
    const link = await this.links.find(token, 'magic_link');
    const user = link && (await this.users.find(link.userId));
    if (user?.emailCanonical !== link?.emailCanonical || !link?.appId || !user) return;
    await this.request(ctx, user.email, link.appId, link.request as unknown as AuthorizationRequest | null);
  }
}
