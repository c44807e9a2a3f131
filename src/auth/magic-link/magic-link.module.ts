import { Module } from '@nestjs/common';
import { AppsModule } from '../../apps/apps.module.js';
import { RateLimitsModule } from '../../rate-limits/rate-limits.module.js';
import { UsersModule } from '../../users/users.module.js';
import { EmailLinksModule } from '../email-links/email-links.module.js';
import { HostedSignInModule } from '../hosted-sign-in/hosted-sign-in.module.js';
import { SessionModule } from '../session/session.module.js';
import { MagicLinkFlow } from './magic-link-flow.js';
import { MagicLinkPages } from './magic-link-pages.js';
import { MagicLinkRequestedHandler } from './magic-link-requested.handler.js';
import { MagicLinkController } from './magic-link.controller.js';
import { MagicLinkRequests } from './magic-link-requests.service.js';
import { MagicLinkViews } from './magic-link-views.js';
import { RequestedLink } from './requested-link.js';
import { MagicLinkService } from './magic-link.service.js';

/**
 * Owns sign-in by a mailed link: the request, the page and the button. How links are mailed and used up belongs to
 * `EmailLinksModule`.
 */
@Module({
  imports: [AppsModule, RateLimitsModule, UsersModule, EmailLinksModule, HostedSignInModule, SessionModule],
  controllers: [MagicLinkController],
  providers: [
    MagicLinkService,
    MagicLinkRequests,
    MagicLinkViews,
    RequestedLink,
    MagicLinkFlow,
    MagicLinkPages,
    MagicLinkRequestedHandler,
  ],
  exports: [MagicLinkRequests],
})
export class MagicLinkModule {}
