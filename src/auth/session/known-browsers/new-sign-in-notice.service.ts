import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { message } from '../../../common/i18n/message.js';
import { AuditService } from '../../../audit/audit.service.js';
import { Clock } from '../../../common/clock.js';
import type { RequestContext } from '../../../common/request-context.js';
import { SecurityNotices } from '../../../enrollment/notices/security-notices.service.js';
import { withoutLinks } from '../../../mail/content/without-links.js';
import { type BrowserOrigin, deviceLocationOf } from './known-browser.rules.js';
import { KnownBrowsers } from './known-browsers.service.js';

/** Records the browsers from which users sign in, and mails the users about sign-ins from new ones. */
@Injectable()
export class NewSignInNotice {
  constructor(
    private readonly browsers: KnownBrowsers,
    private readonly notices: SecurityNotices,
    private readonly audit: AuditService,
    private readonly clock: Clock,
  ) {}

  /**
   * Called in the transaction of a completed sign-in. A new browser is always audited. The user is mailed once for each
   * new browser, but not for the first one of an account, and only a few times in 24 hours.
   */
  async remember(tx: EntityManager, ctx: RequestContext, userId: string, origin: BrowserOrigin): Promise<void> {
    if ((await this.browsers.remember(tx, ctx, userId, origin)) !== 'new') return;
    const { userAgent, network } = deviceLocationOf(ctx);
    const isMailed = await this.browsers.claimNotice(tx, ctx, userId, origin);
    await this.audit.record(tx, ctx, 'user.new_browser', {
      userId,
      target: { type: 'user', id: userId },
      metadata: { user_agent: userAgent, network, mailed: isMailed },
    });
    if (!isMailed) return;
    const model = {
      // The client chooses its `User-Agent`: a name like `evil.example` would become a link in our mail.
      browser: withoutLinks(userAgent),
      when: this.clock.now().toUTCString(),
      ip: ctx.ip ?? message('mail.unknown_address'),
    };
    await this.notices.send(tx, userId, 'new-sign-in', model);
  }
}
