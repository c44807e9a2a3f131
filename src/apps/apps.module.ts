import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { TenantsModule } from '../tenants/tenants.module.js';
import { OutboundModule } from '../outbound/outbound.module.js';
import { ComparisonsModule } from './change-comparisons.module.js';
import { AppArchiveController } from './app-archive.controller.js';
import { AppArchiveService } from './app-archive.service.js';
import { AppChanges } from './app-changes.js';
import { AppCreationService } from './app-creation.service.js';
import { AppUpdateService } from './app-update.service.js';
import { NewApps } from './new-apps.js';
import { NewTenants } from './new-tenants.js';
import { SecretRegenerationService } from './secret-regeneration.service.js';
import { SubmittedConfig } from './submitted-config.js';
import { AppDirectory } from './app-directory.js';
import { App } from './app.entity.js';
import { AppsController } from './apps.controller.js';
import { AppsRepository } from './apps.repository.js';
import { AppsService } from './apps.service.js';
import { LiveClients } from './live-clients.js';
import { AppLogosService } from './app-logos.service.js';
import { ClientDocuments } from './client-documents.service.js';
import { ClientIds } from './client-ids.service.js';
import { ClientReadings } from './client-readings.js';
import { ClientRegistration } from './client-registration.entity.js';
import { ClientRegistrations } from './client-registrations.service.js';
import { ClientRegistrationsRepository } from './client-registrations.repository.js';
import { ClientTrust } from './client-trust.js';
import { NewRegistrations } from './new-registrations.service.js';
import { PublishedDocuments } from './published-documents.js';
import { RegistrationRequests } from './registration-requests.js';
import { SelfRegisteredApps } from './self-registered-apps.js';
import { SelfRegisteredKinds } from './self-registered-kinds.js';
import { UnusedClientsPurge } from './unused-clients-purge.js';
import { UnusedClientsRepository } from './unused-clients.repository.js';
import { CopyLogoHandler } from './copy-logo.handler.js';
import { LogoCopies } from './logo/logo-copies.js';
import { LogoImages } from './logo/logo-images.js';
import { LogosProcessor } from './logo/logos.processor.js';
import { LogoUpload } from './logo-upload.interceptor.js';
import { DarkLogoController } from './dark-logo.controller.js';
import { FaviconController } from './favicon.controller.js';
import { LogoController } from './logo.controller.js';
import { LogoSource } from './logo/logo-source.js';

/**
 * Owns apps and client_registrations: settings, redirect URIs, roles, logos and client secrets, and the clients that register
 * themselves. The users of apps are `enrollment`'s.
 */
@Module({
  imports: [ComparisonsModule, TenantsModule, OutboundModule, TypeOrmModule.forFeature([App, ClientRegistration])],
  controllers: [AppsController, AppArchiveController, LogoController, DarkLogoController, FaviconController],
  providers: [
    AppArchiveService,
    AppChanges,
    AppCreationService,
    AppUpdateService,
    AppsService,
    AppsRepository,
    NewApps,
    NewTenants,
    SecretRegenerationService,
    SubmittedConfig,
    AppDirectory,
    LiveClients,
    AppLogosService,
    LogoImages,
    LogoUpload,
    LogoCopies,
    LogoSource,
    CopyLogoHandler,
    LogosProcessor,
    ClientDocuments,
    ClientIds,
    ClientReadings,
    ClientRegistrations,
    ClientRegistrationsRepository,
    ClientTrust,
    NewRegistrations,
    PublishedDocuments,
    RegistrationRequests,
    SelfRegisteredApps,
    SelfRegisteredKinds,
    UnusedClientsPurge,
    UnusedClientsRepository,
  ],
  exports: [
    AppArchiveService,
    AppsService,
    AppCreationService,
    AppUpdateService,
    AppChanges,
    NewApps,
    NewTenants,
    SecretRegenerationService,
    AppDirectory,
    AppLogosService,
    NewRegistrations,
    ClientIds,
    LiveClients,
    ClientTrust,
    LogoImages,
    LogoUpload,
  ],
})
export class AppsModule {}
