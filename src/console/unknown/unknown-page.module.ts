import { Module } from '@nestjs/common';
import { ConsoleFrameModule } from '../frame/console-frame.module.js';
import { UnknownPageController } from './unknown-page.controller.js';

/** The page for unknown paths. Must be imported last, because its route matches everything. Owns no table. */
@Module({ imports: [ConsoleFrameModule], controllers: [UnknownPageController] })
export class UnknownPageModule {}
