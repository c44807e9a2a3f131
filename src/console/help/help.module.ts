import { Module } from '@nestjs/common';
import { AppsModule } from '../../apps/apps.module.js';
import { ConsoleFrameModule } from '../frame/console-frame.module.js';
import { HelpLibrary } from './help-library.js';
import { HelpReaders } from './help-reader.js';
import { HelpSearch } from './help-search.js';
import { HelpController } from './help.controller.js';

/** Help articles, read from `docs/help` once at start. Owns no table. */
@Module({
  imports: [ConsoleFrameModule, AppsModule],
  controllers: [HelpController],
  providers: [HelpLibrary, HelpReaders, HelpSearch],
})
export class HelpModule {}
