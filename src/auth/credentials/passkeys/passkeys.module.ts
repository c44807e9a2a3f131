import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { EnrollmentModule } from '../../../enrollment/enrollment.module.js';
import { UsersModule } from '../../../users/users.module.js';
import { CredentialNoticesModule } from '../notices/credential-notices.module.js';
import { AuthenticatorModels } from './stored/authenticator-models.js';
import { DroppedPasskeys } from './management/dropped-passkeys.js';
import { FirstPasskey } from './ceremonies/first-passkey.service.js';
import { PasskeyAssertion } from './ceremonies/passkey-assertion.service.js';
import { PasskeyChallenge } from './challenges/passkey-challenge.entity.js';
import { PasskeyChallengesPurge } from './challenges/passkey-challenges-purge.js';
import { PasskeyChallengesRepository } from './challenges/passkey-challenges.repository.js';
import { PasskeyChallenges } from './challenges/passkey-challenges.service.js';
import { PasskeyChanges } from './stored/passkey-changes.service.js';
import { PasskeyFactors } from './offers/passkey-factors.service.js';
import { PasskeyHandle } from './stored/passkey-handle.entity.js';
import { PasskeyOffer } from './offers/passkey-offer.entity.js';
import { PasskeyOffers } from './offers/passkey-offers.service.js';
import { PasskeyProof } from './ceremonies/passkey-proof.service.js';
import { PasskeyRegistration } from './ceremonies/passkey-registration.service.js';
import { PasskeyTransfer } from './management/passkey-transfer.service.js';
import { Passkey } from './stored/passkey.entity.js';
import { Passkeys } from './management/passkeys.service.js';
import { PasskeysRepository } from './stored/passkeys.repository.js';
import { RelyingParty } from './ceremonies/relying-party.js';

/** Owns passkeys, and the ceremonies with which they are created and used. It has no pages and no routes. */
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
    PasskeyChallengesPurge,
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
