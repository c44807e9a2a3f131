import { Module } from '@nestjs/common';
import { RateLimitsModule } from '../../rate-limits/rate-limits.module.js';
import { AccountRemovalModule } from '../account-removal/account-removal.module.js';
import { CredentialNoticesModule } from '../credentials/notices/credential-notices.module.js';
import { EmailChangeModule } from '../email-change/email-change.module.js';
import { StopLinksModule } from '../stop-links/stop-links.module.js';
import { CredentialStopController } from './credential-stop.controller.js';
import { CredentialStop } from './credential-stop.service.js';

/** Owns the pages of the links in mails about new sign-in methods. No tables. */
@Module({
  imports: [AccountRemovalModule, RateLimitsModule, CredentialNoticesModule, EmailChangeModule, StopLinksModule],
  controllers: [CredentialStopController],
  providers: [CredentialStop],
})
export class CredentialStopModule {}
