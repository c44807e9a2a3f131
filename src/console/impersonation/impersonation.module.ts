import { Module } from '@nestjs/common';
import { ConsoleFrameModule } from '../frame/console-frame.module.js';
import { ImpersonationPages } from './impersonation-pages.js';
import { ImpersonationController } from './impersonation.controller.js';

/** Acting as a tenant or an app. What it is, the frame knows; these are its pages. */
@Module({ imports: [ConsoleFrameModule], controllers: [ImpersonationController], providers: [ImpersonationPages] })
export class ImpersonationModule {}
