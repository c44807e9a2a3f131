import { Global, Module } from '@nestjs/common';
import { Messages } from '../i18n/messages.js';
import { Assets } from './assets/assets.js';
import { AssetsController } from './assets/assets.controller.js';
import { PageRenderer } from './page-renderer.js';

/** HTML pages with their styles and scripts. The models of the pages come from the feature modules. */
@Global()
@Module({
  controllers: [AssetsController],
  providers: [Assets, Messages, PageRenderer],
  exports: [PageRenderer, Messages, Assets],
})
export class PagesModule {}
