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
@Controller('admin/apps/:app_id/logo')
export class LogoController {
  constructor(
    private readonly logos: AppLogosService,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  @Post()
  @TakesPicture('Upload a logo', 'It is stored as a PNG of at most 256 pixels in `config.branding.logo_data`.')
  async upload(
    @Ctx() ctx: RequestContext,
    @Param('app_id') id: string,
    @Req() request: UploadedPicture,
  ): Promise<AppView> {
    return appView(await this.logos.replace(ctx, id, 'logo', pictureOf(request)), this.settings.baseUrl);
  }

  @Delete()
  @RemovesPicture('Remove the uploaded logo', 'If `logo_url` is set, pages show that logo again.')
  async remove(@Ctx() ctx: RequestContext, @Param('app_id') id: string): Promise<AppView> {
    return appView(await this.logos.remove(ctx, id, 'logo'), this.settings.baseUrl);
  }
}
