import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { UsersModule } from '../../users/users.module.js';
import { ConsoleSession } from './console-session.entity.js';
import { ConsoleSessionsRepository } from './console-sessions.repository.js';
import { ConsoleSessionsService } from './console-sessions.service.js';
import { ExpiredConsoleSessionsPurge } from './expired-console-sessions-purge.js';
import { LiveConsoleSessions } from './live-console-sessions.js';

/** Owns console_sessions: the console sessions of operators, with their impersonations. */
@Module({
  imports: [UsersModule, TypeOrmModule.forFeature([ConsoleSession])],
  providers: [ConsoleSessionsService, LiveConsoleSessions, ConsoleSessionsRepository, ExpiredConsoleSessionsPurge],
  exports: [ConsoleSessionsService],
})
export class ConsoleSessionsModule {}
