import { Controller, Delete, Inject, Param, Post, Req } from '@nestjs/common';
import { ApiBearerAuth, ApiTags } from '@nestjs/swagger';
import { Ctx } from '../../common/http/context.decorator.js';
import type { RequestContext } from '../../common/request-context.js';
import { SETTINGS, type Settings } from '../../config/settings.js';
import { AppLogosService } from './app-logos.service.js';
import { type AppView, appView } from '../settings/app.view.js';
import { pictureOf, RemovesPicture, TakesPicture, type UploadedPicture } from './picture-routes.js';

@ApiTags('Admin: apps')
@ApiBearerAuth()
@Controller('admin/apps/:app_id/favicon')
export class FaviconController {
  constructor(
    private readonly logos: AppLogosService,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  @Post()
  @TakesPicture(
    'Upload a favicon',
    'Browsers show it in the tab of the hosted pages. It is stored as a PNG of at most 64 pixels in `config.branding.favicon_data`.',
  )
  async upload(
    @Ctx() ctx: RequestContext,
    @Param('app_id') id: string,
    @Req() request: UploadedPicture,
  ): Promise<AppView> {
    return appView(await this.logos.replace(ctx, id, 'favicon', pictureOf(request)), this.settings.baseUrl);
  }

  @Delete()
  @RemovesPicture('Remove the favicon', 'Hosted pages show the icon of the service again.')
  async remove(@Ctx() ctx: RequestContext, @Param('app_id') id: string): Promise<AppView> {
    return appView(await this.logos.remove(ctx, id, 'favicon'), this.settings.baseUrl);
  }
}
