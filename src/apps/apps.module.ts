import { Module } from '@nestjs/common';
import { AppChangesModule } from './changes/app-changes.module.js';
import { AppDirectoryModule } from './directory/app-directory.module.js';
import { LogosModule } from './logo/logos.module.js';
import { AppPicturesModule } from './pictures/app-pictures.module.js';
import { SelfRegisteredModule } from './self-registered/self-registered.module.js';

/**
 * Owns apps and client_registrations: settings, redirect URIs, roles, logos and client secrets, and clients that
 * register themselves. Members of apps belong to `enrollment`.
 */
@Module({
  imports: [AppDirectoryModule, AppChangesModule, AppPicturesModule, LogosModule, SelfRegisteredModule],
  exports: [AppDirectoryModule, AppChangesModule, AppPicturesModule, LogosModule, SelfRegisteredModule],
})
export class AppsModule {}
