import { Module } from '@nestjs/common';
import { AuthModule } from '../../auth/auth.module.js';
import { OperatorsModule } from '../../operators/operators.module.js';
import { ConsoleSessionsModule } from '../../operators/session/console-sessions.module.js';
import { TokensModule } from '../../tokens/tokens.module.js';
import { ConsoleLoginService } from './console-login.service.js';
import { HostedSignIn } from './hosted-sign-in.js';
import { PendingLogin } from './pending-login.js';

/** Sign-in to the console, by the browser's SSO session or the hosted sign-in. Has no page and owns no table. */
@Module({
  imports: [AuthModule, OperatorsModule, ConsoleSessionsModule, TokensModule],
  providers: [ConsoleLoginService, HostedSignIn, PendingLogin],
  exports: [ConsoleLoginService],
})
export class ConsoleLoginModule {}
