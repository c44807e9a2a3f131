import { Module } from '@nestjs/common';
import { InvitesModule } from '../../invites/invites.module.js';
import { ConsoleFrameModule } from '../frame/console-frame.module.js';
import { InvitePages } from './invite-pages.js';
import { InvitePagesController } from './invite-pages.controller.js';

/** The pages on invites. Owns no table. */
@Module({
  imports: [ConsoleFrameModule, InvitesModule],
  controllers: [InvitePagesController],
  providers: [InvitePages],
})
export class InvitePagesModule {}
