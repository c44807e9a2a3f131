import { Module } from '@nestjs/common';
import { ConsoleFrameModule } from '../frame/console-frame.module.js';
import { ImpersonationPages } from './impersonation-pages.js';
import { ImpersonationController } from './impersonation.controller.js';

/** The pages for impersonation. The frame contains its other parts. */
@Module({ imports: [ConsoleFrameModule], controllers: [ImpersonationController], providers: [ImpersonationPages] })
export class ImpersonationModule {}
