import { Module } from '@nestjs/common';
import { AppRowsModule } from '../app/app-rows.module.js';
import { AppChangesModule } from '../changes/app-changes.module.js';
import { AppDirectoryModule } from '../directory/app-directory.module.js';
import { LogosModule } from '../logo/logos.module.js';
import { AppLogosService } from './app-logos.service.js';
import { CopyLogoHandler } from './copy-logo.handler.js';
import { DarkLogoController } from './dark-logo.controller.js';
import { FaviconController } from './favicon.controller.js';
import { LogoUpload } from './logo-upload.interceptor.js';
import { LogoController } from './logo.controller.js';

/**
 * The logos and the favicon of an app: uploads, copies of an address, removal. Owns no table: the pictures are columns
 * of the app.
 */
@Module({
  imports: [AppChangesModule, AppDirectoryModule, AppRowsModule, LogosModule],
  controllers: [LogoController, DarkLogoController, FaviconController],
  providers: [AppLogosService, CopyLogoHandler, LogoUpload],
  exports: [AppLogosService, LogoUpload],
})
export class AppPicturesModule {}
