import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { EnrollmentModule } from '../../../enrollment/enrollment.module.js';
import { UsersModule } from '../../../users/users.module.js';
import { CredentialNoticesModule } from '../notices/credential-notices.module.js';
import { AuthenticatorModels } from './authenticator-models.js';
import { DroppedPasskeys } from './dropped-passkeys.js';
import { FirstPasskey } from './first-passkey.service.js';
import { PasskeyAssertion } from './passkey-assertion.service.js';
import { PasskeyChallenge } from './passkey-challenge.entity.js';
import { PasskeyChallengesRepository } from './passkey-challenges.repository.js';
import { PasskeyChallenges } from './passkey-challenges.service.js';
import { PasskeyChanges } from './passkey-changes.service.js';
import { PasskeyFactors } from './passkey-factors.service.js';
import { PasskeyHandle } from './passkey-handle.entity.js';
import { PasskeyOffer } from './passkey-offer.entity.js';
import { PasskeyOffers } from './passkey-offers.service.js';
import { PasskeyProof } from './passkey-proof.service.js';
import { PasskeyRegistration } from './passkey-registration.service.js';
import { PasskeyTransfer } from './passkey-transfer.service.js';
import { Passkey } from './passkey.entity.js';
import { Passkeys } from './passkeys.service.js';
import { PasskeysRepository } from './passkeys.repository.js';
import { RelyingParty } from './relying-party.js';

/** Owns passkeys, and the two ceremonies by which they are made and used. It has no pages and no routes. */
@Module({
  imports: [
    CredentialNoticesModule,
    EnrollmentModule,
    UsersModule,
    TypeOrmModule.forFeature([Passkey, PasskeyHandle, PasskeyChallenge, PasskeyOffer]),
  ],
  providers: [
    AuthenticatorModels,
    DroppedPasskeys,
    FirstPasskey,
    PasskeyAssertion,
    PasskeyChallenges,
    PasskeyChallengesRepository,
    PasskeyChanges,
    PasskeyFactors,
    PasskeyOffers,
    PasskeyProof,
    PasskeyRegistration,
    PasskeyTransfer,
    Passkeys,
    PasskeysRepository,
    RelyingParty,
  ],
  exports: [
    AuthenticatorModels,
    DroppedPasskeys,
    FirstPasskey,
    PasskeyAssertion,
    PasskeyFactors,
    PasskeyOffers,
    PasskeyProof,
    PasskeyRegistration,
    PasskeyTransfer,
    Passkeys,
    RelyingParty,
  ],
})
export class PasskeysModule {}
