import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { ProtectedResourceName } from './protected-resource-name.entity.js';
import { Tenant } from './tenant.entity.js';
import { TenantsRepository } from './tenants.repository.js';
import { TenantsService } from './tenants.service.js';

/**
 * Owns tenants: their records and policies. Their endpoints, and use cases with their apps and users, are in `admin`.
 */
@Module({
  imports: [TypeOrmModule.forFeature([Tenant, ProtectedResourceName])],
  providers: [TenantsService, TenantsRepository],
  exports: [TenantsService],
})
export class TenantsModule {}
