import { Module } from '@nestjs/common';
import { ConsoleFrameModule } from '../frame/console-frame.module.js';
import { ConfirmIdentityController } from './confirm-identity.controller.js';
import { ConsoleSessionEnd } from './console-session-end.js';
import { ConsoleLogoutService } from './console-logout.service.js';
import { ConsoleSessionController } from './console-session.controller.js';
import { ThemeController } from './theme.controller.js';

/** The ways into and out of the console. Their session is `ConsoleSessionsModule`'s. */
@Module({
  imports: [ConsoleFrameModule],
  controllers: [ConsoleSessionController, ConfirmIdentityController, ThemeController],
  providers: [ConsoleLogoutService, ConsoleSessionEnd],
})
export class SessionPagesModule {}
