import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { RefreshFamiliesRepository } from './refresh-families.repository.js';
import { RefreshFamily } from './refresh-family.entity.js';

/** Owns refresh_families: the sign-in that a chain of refresh tokens descends from. */
@Module({
  imports: [TypeOrmModule.forFeature([RefreshFamily])],
  providers: [RefreshFamiliesRepository],
  exports: [RefreshFamiliesRepository],
})
export class TokenFamilyModule {}
