import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { TenantsModule } from '../tenants/tenants.module.js';
import { OutboundModule } from '../outbound/outbound.module.js';
import { ComparisonsModule } from './comparisons/change-comparisons.module.js';
import { AppArchiveController } from './changes/app-archive.controller.js';
import { AppArchiveService } from './changes/app-archive.service.js';
import { AppChanges } from './changes/app-changes.js';
import { AppCreationService } from './changes/app-creation.service.js';
import { AppUpdateService } from './changes/app-update.service.js';
import { NewApps } from './changes/new-apps.js';
import { NewTenants } from './changes/new-tenants.js';
import { SecretRegenerationService } from './changes/secret-regeneration.service.js';
import { SubmittedConfig } from './settings/submitted-config.js';
import { AppDirectory } from './directory/app-directory.js';
import { App } from './app/app.entity.js';
import { AppsController } from './changes/apps.controller.js';
import { AppsRepository } from './app/apps.repository.js';
import { AppsService } from './directory/apps.service.js';
import { LiveClients } from './directory/live-clients.js';
import { AppLogosService } from './pictures/app-logos.service.js';
import { ClientDocuments } from './self-registered/client-documents.service.js';
import { ClientIds } from './self-registered/client-ids.service.js';
import { ClientReadings } from './self-registered/client-readings.js';
import { ClientRegistration } from './app/client-registration.entity.js';
import { ClientRegistrations } from './self-registered/client-registrations.service.js';
import { ClientRegistrationsRepository } from './self-registered/client-registrations.repository.js';
import { ClientTrust } from './self-registered/client-trust.js';
import { NewRegistrations } from './self-registered/new-registrations.service.js';
import { PublishedDocuments } from './self-registered/published-documents.js';
import { RegistrationRequests } from './self-registered/registration-requests.js';
import { SelfRegisteredApps } from './self-registered/self-registered-apps.js';
import { SelfRegisteredKinds } from './self-registered/self-registered-kinds.js';
import { UnusedClientsPurge } from './self-registered/unused-clients-purge.js';
import { UnusedClientsRepository } from './directory/unused-clients.repository.js';
import { CopyLogoHandler } from './pictures/copy-logo.handler.js';
import { LogoCopies } from './logo/logo-copies.js';
import { LogoImages } from './logo/logo-images.js';
import { LogosProcessor } from './logo/logos.processor.js';
import { LogoUpload } from './pictures/logo-upload.interceptor.js';
import { DarkLogoController } from './pictures/dark-logo.controller.js';
import { FaviconController } from './pictures/favicon.controller.js';
import { LogoController } from './pictures/logo.controller.js';
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
