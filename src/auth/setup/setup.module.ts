import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { UsersModule } from '../../users/users.module.js';
import { PasswordModule } from '../credentials/password/password.module.js';
import { RegistrationModule } from '../registration/registration.module.js';
import { SessionModule } from '../session/session.module.js';
import { FirstAdminLink } from './first-admin-link.entity.js';
import { FirstAdminRepository } from './first-admin.repository.js';
import { BootstrapAdmin } from './bootstrap-admin.js';
import { FirstAdminCreation } from './first-admin-creation.service.js';
import { FirstAdminLinks } from './first-admin-links.service.js';
import { FirstAdminService } from './first-admin.service.js';
import { FirstAdminSignIn } from './first-admin-sign-in.service.js';
import { SetupController } from './setup.controller.js';

/**
 * Owns the creation of the first platform admin: the one-time link, its page, and BOOTSTRAP_ADMIN_*. Later admins are
 * created elsewhere.
 */
@Module({
  imports: [UsersModule, PasswordModule, RegistrationModule, SessionModule, TypeOrmModule.forFeature([FirstAdminLink])],
  controllers: [SetupController],
  providers: [
    BootstrapAdmin,
    FirstAdminCreation,
    FirstAdminLinks,
    FirstAdminService,
    FirstAdminSignIn,
    FirstAdminRepository,
  ],
  exports: [FirstAdminLinks],
})
export class SetupModule {}
