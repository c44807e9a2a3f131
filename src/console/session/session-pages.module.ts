import { Module } from '@nestjs/common';
import { ConsoleFrameModule } from '../frame/console-frame.module.js';
import { ConfirmIdentityController } from './confirm-identity.controller.js';
import { ConsoleSessionEnd } from './console-session-end.js';
import { ConsoleLogoutService } from './console-logout.service.js';
import { ConsoleSessionController } from './console-session.controller.js';
import { ThemeController } from './theme.controller.js';

/** Sign-in and sign-out of the console. The sessions belong to `ConsoleSessionsModule`. */
@Module({
  imports: [ConsoleFrameModule],
  controllers: [ConsoleSessionController, ConfirmIdentityController, ThemeController],
  providers: [ConsoleLogoutService, ConsoleSessionEnd],
})
export class SessionPagesModule {}
