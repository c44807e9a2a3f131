import { Module } from '@nestjs/common';
import { AppsModule } from '../../../apps/apps.module.js';
import { UsersModule } from '../../../users/users.module.js';
import { AccessModule } from '../../access/access.module.js';
import { PasskeysModule } from '../../credentials/passkeys/passkeys.module.js';
import { SessionModule } from '../../session/session.module.js';
import { ApiSignInModule } from '../api-sign-in.module.js';
import { NativeAppsController } from './native-apps.controller.js';
import { NativePasskeys } from './native-passkeys.service.js';
import { PasskeyClients } from './passkey-clients.service.js';
import { PasskeyLoginController } from './passkey-login.controller.js';
import { PasskeyLoginService } from './passkey-login.service.js';
import { PasskeyRegistrationController } from './passkey-registration.controller.js';
import { RelatedOriginsController } from './related-origins.controller.js';

/**
 * Owns passkeys of native apps and related origins over JSON: sign-in, registration, and the documents under
 * /.well-known that name the apps and origins. No pages.
 */
@Module({
  imports: [AccessModule, ApiSignInModule, AppsModule, PasskeysModule, SessionModule, UsersModule],
  controllers: [NativeAppsController, PasskeyLoginController, PasskeyRegistrationController, RelatedOriginsController],
  providers: [NativePasskeys, PasskeyClients, PasskeyLoginService],
})
export class ApiPasskeysModule {}
