import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AppsModule } from '../apps/apps.module.js';
import { EnrollmentModule } from '../enrollment/enrollment.module.js';
import { TenantsModule } from '../tenants/tenants.module.js';
import { UsersModule } from '../users/users.module.js';
import { ExpiredInvitesPurge } from './invite/expired-invites-purge.js';
import { InviteListRepository } from './list/invite-list.repository.js';
import { InviteList } from './list/invite-list.service.js';
import { InviteMail } from './creation/invite-mail.js';
import { InviteMaker } from './creation/invite-maker.js';
import { InviteRedemption } from './redemption/invite-redemption.service.js';
import { Invite } from './invite/invite.entity.js';
import { InviterAuthority } from './invite/inviter-authority.service.js';
import { InvitesController } from './creation/invites.controller.js';
import { InvitesRepository } from './invite/invites.repository.js';
import { InvitesService } from './creation/invites.service.js';

/**
 * Owns invites: who can join an app with a code, how often and until when. Signing in with an invite belongs to `auth`.
 */
@Module({
  imports: [TenantsModule, AppsModule, UsersModule, EnrollmentModule, TypeOrmModule.forFeature([Invite])],
  controllers: [InvitesController],
  providers: [
    InvitesService,
    InviteList,
    InviteListRepository,
    InviteRedemption,
    InviteMail,
    InviteMaker,
    InviterAuthority,
    InvitesRepository,
    ExpiredInvitesPurge,
  ],
  exports: [InvitesService, InviteList, InviteRedemption],
})
export class InvitesModule {}
