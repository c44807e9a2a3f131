import { Module } from '@nestjs/common';
import { ConsoleFrameModule } from '../frame/console-frame.module.js';
import { UnknownPageController } from './unknown-page.controller.js';

/** What is shown where there is no page. Imported last: its route takes what no other takes. Owns no table. */
@Module({ imports: [ConsoleFrameModule], controllers: [UnknownPageController] })
export class UnknownPageModule {}
