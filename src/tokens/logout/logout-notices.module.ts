import { Module } from '@nestjs/common';
import { AppsModule } from '../../apps/apps.module.js';
import { OutboundModule } from '../../outbound/outbound.module.js';
import { SigningModule } from '../jwt/signing.module.js';
import { LogoutNoticeHandler } from './logout-notice.handler.js';
import { LogoutNoticesRepository } from './logout-notices.repository.js';
import { LogoutNotices } from './logout-notices.service.js';
import { LogoutProcessor } from './logout.processor.js';

/** Back-channel logout: notifies apps that a session has ended. Owns no table; the notices are outbox jobs. */
@Module({
  imports: [AppsModule, OutboundModule, SigningModule],
  providers: [LogoutNotices, LogoutNoticeHandler, LogoutProcessor, LogoutNoticesRepository],
  exports: [LogoutNotices],
})
export class LogoutNoticesModule {}
