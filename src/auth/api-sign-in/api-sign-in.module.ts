import { Module } from '@nestjs/common';
import { AppsModule } from '../../apps/apps.module.js';
import { TokensModule } from '../../tokens/tokens.module.js';
import { UsersModule } from '../../users/users.module.js';
import { AccessModule } from '../access/access.module.js';
import { PasskeysModule } from '../credentials/passkeys/passkeys.module.js';
import { PasswordModule } from '../credentials/password/password.module.js';
import { SecondFactorModule } from '../credentials/second-factor/second-factor.module.js';
import { EmailLinksModule } from '../email-links/email-links.module.js';
import { EntryModule } from '../entry/entry.module.js';
import { RegistrationModule } from '../registration/registration.module.js';
import { SessionModule } from '../session/session.module.js';
import { SignInModule } from '../sign-in/sign-in.module.js';
import { AuthController } from './auth.controller.js';
import { DirectSignInService } from './direct-sign-in.service.js';
import { NativeAppsController } from './native-apps.controller.js';
import { NativePasskeys } from './native-passkeys.service.js';
import { PasskeyClients } from './passkey-clients.service.js';
import { PasskeyLoginController } from './passkey-login.controller.js';
import { PasskeyLoginService } from './passkey-login.service.js';
import { PasskeyRegistrationController } from './passkey-registration.controller.js';
import { PasswordLoginService } from './password-login.service.js';
import { RelatedOriginsController } from './related-origins.controller.js';
import { SignInAnswers } from './sign-in-answers.js';
import { SignUpLoginService } from './sign-up-login.service.js';
import { TotpLoginService } from './totp-login.service.js';
import { FirstSignIn } from './first-sign-in.service.js';
import { SignInDemands } from './sign-in-demands.service.js';
import { TotpController } from './totp.controller.js';

/** Owns sign-in and sign-up over JSON: the routes under /auth, their answers and the second-factor step. No pages. */
@Module({
  imports: [
    AccessModule,
    AppsModule,
    TokensModule,
    UsersModule,
    EmailLinksModule,
    EntryModule,
    PasskeysModule,
    PasswordModule,
    RegistrationModule,
    SecondFactorModule,
    SessionModule,
    SignInModule,
  ],
  controllers: [
    AuthController,
    NativeAppsController,
    PasskeyLoginController,
    PasskeyRegistrationController,
    RelatedOriginsController,
    TotpController,
  ],
  providers: [
    DirectSignInService,
    FirstSignIn,
    SignInDemands,
    SignInAnswers,
    NativePasskeys,
    PasskeyClients,
    PasskeyLoginService,
    PasswordLoginService,
    SignUpLoginService,
    TotpLoginService,
  ],
  exports: [DirectSignInService, FirstSignIn, SignInAnswers],
})
export class ApiSignInModule {}
