import { Module } from '@nestjs/common';
import { AppsModule } from '../../apps/apps.module.js';
import { EnrollmentModule } from '../../enrollment/enrollment.module.js';
import { PushModule } from '../../push/push.module.js';
import { TokensModule } from '../../tokens/tokens.module.js';
import { UsersModule } from '../../users/users.module.js';
import { AccessModule } from '../access/access.module.js';
import { OwnCredentialsModule } from '../credentials/own/own-credentials.module.js';
import { PasskeysModule } from '../credentials/passkeys/passkeys.module.js';
import { PasswordModule } from '../credentials/password/password.module.js';
import { SecondFactorModule } from '../credentials/second-factor/second-factor.module.js';
import { AccountDeletionModule } from '../account-deletion/account-deletion.module.js';
import { PasskeyRecoveryModule } from '../passkey-recovery/passkey-recovery.module.js';
import { EmailChangeModule } from '../email-change/email-change.module.js';
import { EmailLinksModule } from '../email-links/email-links.module.js';
import { LinkedAccountsModule } from '../providers/linked/linked-accounts.module.js';
import { SessionModule } from '../session/session.module.js';
import { AccountActivityController } from './account-activity.controller.js';
import { AccountAppsController } from './account-apps.controller.js';
import { AccountDeletionController } from './account-deletion.controller.js';
import { AccountDevicesController } from './account-devices.controller.js';
import { AccountDevices } from './own/account-devices.service.js';
import { AccountCards } from './cards/account-cards.service.js';
import { AccountController } from './account.controller.js';
import { AccountVisits } from './page/account-visits.js';
import { AccountEmailController } from './account-email.controller.js';
import { AccountEmailPages } from './account-email-pages.js';
import { AccountExportController } from './account-export.controller.js';
import { AccountForms } from './page/account-forms.js';
import { AccountLinksController } from './account-links.controller.js';
import { AccountPages } from './page/account-pages.js';
import { AccountPasskeyPages } from './passkeys/account-passkey-pages.js';
import { AccountPasskeyRecoveryController } from './passkeys/account-passkey-recovery.controller.js';
import { AccountPasskeysController } from './passkeys/account-passkeys.controller.js';
import { AccountPasswordController } from './account-password.controller.js';
import { AccountProfileController } from './account-profile.controller.js';
import { AccountSecondFactorController } from './second-factor/account-second-factor.controller.js';
import { AccountSecondFactorSetup } from './second-factor/account-second-factor-setup.js';
import { SecondFactorViews } from './second-factor/second-factor-views.js';
import { AccountSecondFactorPages } from './second-factor/account-second-factor-pages.js';
import { AccountSessionsController } from './account-sessions.controller.js';
import { PasskeyEndpointsController } from './passkeys/passkey-endpoints.controller.js';
import { AppsCard } from './cards/apps-card.js';
import { CredentialCards } from './cards/credential-cards.js';
import { LinkedAccountsCard } from './cards/linked-accounts-card.js';
import { PasskeyRows } from './cards/passkey-rows.js';
import { PasskeysCard } from './cards/passkeys-card.js';
import { SecondFactorCard } from './cards/second-factor-card.js';
import { SessionsCard } from './cards/sessions-card.js';
import { OwnActivity } from './own/own-activity.service.js';
import { OwnApps } from './own/own-apps.service.js';
import { OwnCredentialData } from './own/own-credential-data.js';
import { OwnData } from './own/own-data.service.js';
import { OwnExport } from './own/own-export.service.js';
import { OwnLanguage } from './own/own-language.js';
import { OwnPasskeys } from './own/own-passkeys.service.js';
import { OwnProfileService } from './own/own-profile.service.js';
import { OwnSessionsService } from './own/own-sessions.service.js';

/** A user's own account in the browser. Owns no table: the cards change data of other modules. */
@Module({
  imports: [
    AccessModule,
    AccountDeletionModule,
    EmailChangeModule,
    PasskeyRecoveryModule,
    EmailLinksModule,
    OwnCredentialsModule,
    PasskeysModule,
    PasswordModule,
    SecondFactorModule,
    SessionModule,
    LinkedAccountsModule,
    AppsModule,
    UsersModule,
    EnrollmentModule,
    TokensModule,
    PushModule,
  ],
  controllers: [
    AccountController,
    AccountProfileController,
    AccountEmailController,
    AccountDeletionController,
    AccountPasswordController,
    AccountPasskeyRecoveryController,
    AccountPasskeysController,
    AccountSecondFactorController,
    AccountSessionsController,
    AccountLinksController,
    AccountDevicesController,
    AccountAppsController,
    AccountActivityController,
    AccountExportController,
    PasskeyEndpointsController,
  ],
  providers: [
    AccountVisits,
    AccountPages,
    AccountEmailPages,
    AccountForms,
    AccountCards,
    AccountPasskeyPages,
    CredentialCards,
    PasskeyRows,
    PasskeysCard,
    AppsCard,
    LinkedAccountsCard,
    SecondFactorCard,
    SessionsCard,
    AccountDevices,
    AccountSecondFactorPages,
    AccountSecondFactorSetup,
    SecondFactorViews,
    OwnActivity,
    OwnApps,
    OwnCredentialData,
    OwnData,
    OwnPasskeys,
    OwnExport,
    OwnLanguage,
    OwnProfileService,
    OwnSessionsService,
  ],
})
export class AccountModule {}
