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
@Controller('admin/apps/:app_id/dark-logo')
export class DarkLogoController {
  constructor(
    private readonly logos: AppLogosService,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  @Post()
  @TakesPicture(
    'Upload a logo for the dark theme',
    'Dark pages show it instead of the logo; an app without a logo does not show it. It is stored as a PNG of at most 256 pixels in `config.branding.dark_logo_data`.',
  )
  async upload(
    @Ctx() ctx: RequestContext,
    @Param('app_id') id: string,
    @Req() request: UploadedPicture,
  ): Promise<AppView> {
    return appView(await this.logos.replace(ctx, id, 'dark_logo', pictureOf(request)), this.settings.baseUrl);
  }

  @Delete()
  @RemovesPicture('Remove the logo for the dark theme', 'Dark pages show the logo again.')
  async remove(@Ctx() ctx: RequestContext, @Param('app_id') id: string): Promise<AppView> {
    return appView(await this.logos.remove(ctx, id, 'dark_logo'), this.settings.baseUrl);
  }
}
