import { Module } from '@nestjs/common';
import { AppsModule } from '../../apps/apps.module.js';
import { EnrollmentModule } from '../../enrollment/enrollment.module.js';
import { InvitesModule } from '../../invites/invites.module.js';
import { RateLimitsModule } from '../../rate-limits/rate-limits.module.js';
import { TokensModule } from '../../tokens/tokens.module.js';
import { UsersModule } from '../../users/users.module.js';
import { AuthModule } from '../auth.module.js';
import { AccessRequestsService } from './access-requests.service.js';
import { GuessLimit } from './guess-limit.js';
import { InviteAcceptance } from './invite-acceptance.service.js';
import { InvitedNewcomer } from './invited-newcomer.service.js';
import { InvitedPerson } from './invited-person.service.js';
import { JoiningController } from './joining.controller.js';
import { SignedInPerson } from './signed-in-person.js';

/** Owns the ways into an app for who is not in it: by invite, or by asking. Owns no table. */
@Module({
  imports: [AppsModule, UsersModule, EnrollmentModule, TokensModule, InvitesModule, RateLimitsModule, AuthModule],
  controllers: [JoiningController],
  providers: [InviteAcceptance, InvitedNewcomer, InvitedPerson, SignedInPerson, GuessLimit, AccessRequestsService],
})
export class JoiningModule {}
