import { Module } from '@nestjs/common';
import { AppsModule } from '../../apps/apps.module.js';
import { TokensModule } from '../../tokens/tokens.module.js';
import { UsersModule } from '../../users/users.module.js';
import { AccessModule } from '../access/access.module.js';
import { PasswordModule } from '../credentials/password/password.module.js';
import { SecondFactorModule } from '../credentials/second-factor/second-factor.module.js';
import { EmailLinksModule } from '../email-links/email-links.module.js';
import { EntryModule } from '../entry/entry.module.js';
import { RegistrationModule } from '../registration/registration.module.js';
import { SessionModule } from '../session/session.module.js';
import { SignInModule } from '../sign-in/sign-in.module.js';
import { AuthController } from './auth.controller.js';
import { DirectSignInService } from './direct-sign-in.service.js';
import { PasswordLoginService } from './password-login.service.js';
import { SignInResponses } from './sign-in-responses.js';
import { SignUpLoginService } from './sign-up-login.service.js';
import { TotpLoginService } from './totp-login.service.js';
import { FirstSignIn } from './first-sign-in.service.js';
import { SignInDemands } from './sign-in-demands.service.js';
import { TotpController } from './totp.controller.js';

/** Owns sign-in and sign-up by JSON: the routes under /auth, their answers and the second-factor step. No pages. */
@Module({
  imports: [
    AccessModule,
    AppsModule,
    TokensModule,
    UsersModule,
    EmailLinksModule,
    EntryModule,
    PasswordModule,
    RegistrationModule,
    SecondFactorModule,
    SessionModule,
    SignInModule,
  ],
  controllers: [AuthController, TotpController],
  providers: [
    DirectSignInService,
    FirstSignIn,
    SignInDemands,
    SignInResponses,
    PasswordLoginService,
    SignUpLoginService,
    TotpLoginService,
  ],
  exports: [DirectSignInService, FirstSignIn, SignInResponses],
})
export class ApiSignInModule {}
