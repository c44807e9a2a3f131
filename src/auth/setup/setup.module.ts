import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { UsersModule } from '../../users/users.module.js';
import { PasswordModule } from '../credentials/password/password.module.js';
import { SessionModule } from '../session/session.module.js';
import { FirstAdminLink } from './first-admin-link.entity.js';
import { FirstAdminRepository } from './first-admin.repository.js';
import { FirstAdminService } from './first-admin.service.js';
import { SetupController } from './setup.controller.js';

/** Owns the first platform admin: the one-time link, its page, and BOOTSTRAP_ADMIN_*. Later admins are not its business. */
@Module({
  imports: [UsersModule, PasswordModule, SessionModule, TypeOrmModule.forFeature([FirstAdminLink])],
  controllers: [SetupController],
  providers: [FirstAdminService, FirstAdminRepository],
  exports: [FirstAdminService],
})
export class SetupModule {}
