import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { CommonPasswords } from './passwords/common-passwords.js';
import { ProofGuard } from './proof-guard.js';
import { ProofTransactions } from './proof-transactions.js';
import { User } from './user.entity.js';
import { UsersRepository } from './users.repository.js';
import { UsersService } from './users.service.js';

/** Owns users: accounts, addresses, passwords. Enrollments, sessions and endpoints are in higher modules. */
@Module({
  imports: [TypeOrmModule.forFeature([User])],
  providers: [UsersService, UsersRepository, ProofGuard, ProofTransactions, CommonPasswords],
  exports: [UsersService, ProofGuard, ProofTransactions, CommonPasswords],
})
export class UsersModule {}
