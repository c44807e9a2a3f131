import { Module } from '@nestjs/common';
import { EnrollmentModule } from '../../enrollment/enrollment.module.js';
import { UsersModule } from '../../users/users.module.js';
import { SecurityNotices } from './security-notices.service.js';

/** Owns who is told by mail of changes to an account. What changed, the modules know that change it. */
@Module({ imports: [EnrollmentModule, UsersModule], providers: [SecurityNotices], exports: [SecurityNotices] })
export class SecurityNoticesModule {}
