import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { OutboundModule } from '../../outbound/outbound.module.js';
import { TenantsModule } from '../../tenants/tenants.module.js';
import { AppRowsModule } from '../app/app-rows.module.js';
import { App } from '../app/app.entity.js';
import { ClientRegistration } from '../app/client-registration.entity.js';
import { AppChangesModule } from '../changes/app-changes.module.js';
import { AppDirectoryModule } from '../directory/app-directory.module.js';
import { UnusedClientsRepository } from '../directory/unused-clients.repository.js';
import { ClientDocuments } from './client-documents.service.js';
import { ClientIds } from './client-ids.service.js';
import { ClientReadings } from './client-readings.js';
import { ClientRegistrationsRepository } from './client-registrations.repository.js';
import { ClientRegistrations } from './client-registrations.service.js';
import { ClientTrust } from './client-trust.js';
import { NewRegistrations } from './new-registrations.service.js';
import { PublishedDocuments } from './published-documents.js';
import { RegistrationRequests } from './registration-requests.js';
import { SelfRegisteredApps } from './self-registered-apps.js';
import { SelfRegisteredKinds } from './self-registered-kinds.js';
import { UnusedClientsPurge } from './unused-clients-purge.js';

/**
 * Owns client_registrations: clients that register themselves, by a request (RFC 7591) or by a document that they
 * publish.
 */
@Module({
  imports: [
    AppChangesModule,
    AppDirectoryModule,
    AppRowsModule,
    OutboundModule,
    TenantsModule,
    TypeOrmModule.forFeature([App, ClientRegistration]),
  ],
  providers: [
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
  exports: [ClientIds, ClientTrust, NewRegistrations],
})
export class SelfRegisteredModule {}
