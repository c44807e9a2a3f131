import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { TenantsModule } from '../tenants/tenants.module.js';
import { AppDirectory } from './app-directory.js';
import { App } from './app.entity.js';
import { AppsController } from './apps.controller.js';
import { AppsRepository } from './apps.repository.js';
import { AppsService } from './apps.service.js';
import { ClientSecrets } from './client-secrets.js';

/** Owns apps: their settings, redirect URIs, roles and client secrets. Who is enrolled in them is `enrollment`'s. */
@Module({
  imports: [TenantsModule, TypeOrmModule.forFeature([App])],
  controllers: [AppsController],
  providers: [AppsService, AppsRepository, AppDirectory, ClientSecrets],
  exports: [AppsService, AppDirectory, ClientSecrets],
})
export class AppsModule {}
