import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { TenantsModule } from '../tenants/tenants.module.js';
import { AppDirectory } from './app-directory.js';
import { App } from './app.entity.js';
import { AppsController } from './apps.controller.js';
import { AppsRepository } from './apps.repository.js';
import { AppsService } from './apps.service.js';
import { ClientSecrets } from './client-secrets.js';
import { OutboundModule } from '../outbound/outbound.module.js';
import { AppLogosService } from './logo/app-logos.service.js';
import { CopyLogoHandler } from './logo/copy-logo.handler.js';
import { LogoCopies } from './logo/logo-copies.js';
import { LogoImages } from './logo/logo-images.js';
import { LogoUpload } from './logo/logo-upload.interceptor.js';
import { LogoController } from './logo/logo.controller.js';
import { LogoSource } from './logo/logo-source.js';

/** Owns apps: their settings, redirect URIs, roles, logos and client secrets. Who is enrolled in them is `enrollment`'s. */
@Module({
  imports: [TenantsModule, OutboundModule, TypeOrmModule.forFeature([App])],
  controllers: [AppsController, LogoController],
  providers: [
    AppsService,
    AppsRepository,
    AppDirectory,
    ClientSecrets,
    AppLogosService,
    LogoImages,
    LogoUpload,
    LogoCopies,
    LogoSource,
    CopyLogoHandler,
  ],
  exports: [AppsService, AppDirectory, AppLogosService, ClientSecrets, LogoImages, LogoUpload],
})
export class AppsModule {}
