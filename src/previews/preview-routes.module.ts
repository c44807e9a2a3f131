import { Module } from '@nestjs/common';
import { ActPreviewsController } from './act-previews.controller.js';
import { PreviewsController } from './previews.controller.js';
import { PreviewsModule } from './previews.module.js';

/**
 * The routes of previews, after those of what is previewed: Express takes the first route that fits, and
 * `POST /admin/users/{user_id}` fits `/admin/users/roles` as well.
 */
@Module({ imports: [PreviewsModule], controllers: [PreviewsController, ActPreviewsController] })
export class PreviewRoutesModule {}
