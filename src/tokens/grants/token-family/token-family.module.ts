import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { RefreshFamiliesRepository } from './refresh-families.repository.js';
import { RefreshFamily } from './refresh-family.entity.js';

/** Owns refresh_families: the sign-ins from which chains of refresh tokens descend. */
@Module({
  imports: [TypeOrmModule.forFeature([RefreshFamily])],
  providers: [RefreshFamiliesRepository],
  exports: [RefreshFamiliesRepository],
})
export class TokenFamilyModule {}
