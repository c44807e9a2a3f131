import { Module } from '@nestjs/common';
import { AppsModule } from '../../apps/apps.module.js';
import { TokensModule } from '../../tokens/tokens.module.js';
import { UsersModule } from '../../users/users.module.js';
import { HostedSignInModule } from '../hosted-sign-in/hosted-sign-in.module.js';
import { SessionModule } from '../session/session.module.js';
import { LogoutController } from './logout.controller.js';
import { LogoutFlow } from './logout-flow.js';
import { LogoutPages } from './logout-pages.js';
import { LogoutRequests } from './logout-requests.service.js';

/** Sign-out that an app starts. Owns no table; ends the sessions of `auth` and the tokens of `tokens`. */
@Module({
  imports: [HostedSignInModule, SessionModule, TokensModule, AppsModule, UsersModule],
  controllers: [LogoutController],
  providers: [LogoutFlow, LogoutPages, LogoutRequests],
})
export class LogoutModule {}
