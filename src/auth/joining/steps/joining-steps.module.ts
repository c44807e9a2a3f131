import { Module } from '@nestjs/common';
import { InvitesModule } from '../../../invites/invites.module.js';
import { UsersModule } from '../../../users/users.module.js';
import { PasskeysModule } from '../../credentials/passkeys/passkeys.module.js';
import { HostedSignInModule } from '../../hosted-sign-in/hosted-sign-in.module.js';
import { JoiningModule } from '../joining.module.js';
import { InviteStep } from './invite.step.js';
import { InvitedSignUps } from './invited-sign-ups.js';
import { InvitedSignUpStep } from './invited-sign-up.step.js';
import { RequestAccessStep } from './request-access.step.js';

/** Owns the pages of the hosted sign-in on which a user accepts an invite or requests access. */
@Module({
  imports: [InvitesModule, UsersModule, HostedSignInModule, JoiningModule, PasskeysModule],
  providers: [InviteStep, InvitedSignUpStep, InvitedSignUps, RequestAccessStep],
})
export class JoiningStepsModule {}
