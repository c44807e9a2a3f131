import { Controller, Delete, HttpCode, Inject, Param, Post, Req, UseInterceptors } from '@nestjs/common';
import {
  ApiBadRequestResponse,
  ApiBearerAuth,
  ApiBody,
  ApiConsumes,
  ApiNotFoundResponse,
  ApiOkResponse,
  ApiOperation,
  ApiPayloadTooLargeResponse,
  ApiServiceUnavailableResponse,
  ApiTags,
} from '@nestjs/swagger';
import { Requires } from '../common/http/access-marks.js';
import { Ctx } from '../common/http/context.decorator.js';
import type { RequestContext } from '../common/request-context.js';
import { InvalidInput } from '../common/validation/invalid-input.js';
import { SETTINGS, type Settings } from '../config/settings.js';
import { AppView, appView } from './app.view.js';
import { AppLogosService } from './app-logos.service.js';
import { LogoUpload } from './logo-upload.interceptor.js';

@ApiTags('Admin: apps')
@ApiBearerAuth()
@Controller('admin/apps/:app_id/logo')
export class LogoController {
  constructor(
    private readonly logos: AppLogosService,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  @Post()
  @HttpCode(200)
  @Requires({ minimumRole: 'app_admin' })
  @UseInterceptors(LogoUpload)
  @ApiOperation({
    summary: 'Upload a logo',
    description:
      'PNG, JPEG or SVG by content, at most 2 MB and 25 megapixels. Kept as a PNG of at most 256 pixels in `config.branding.logo_data`; an SVG is drawn, never stored.',
  })
  @ApiConsumes('multipart/form-data')
  @ApiBody({
    required: true,
    schema: { type: 'object', required: ['file'], properties: { file: { type: 'string', format: 'binary' } } },
  })
  @ApiOkResponse({ type: AppView })
  @ApiBadRequestResponse({ description: '`Unsupported image type`' })
  @ApiNotFoundResponse({ description: '`App not found`' })
  @ApiPayloadTooLargeResponse({ description: '`Logo too large`' })
  @ApiServiceUnavailableResponse({ description: 'Too many uploads at once; Retry-After says when to try again' })
  async upload(
    @Ctx() ctx: RequestContext,
    @Param('app_id') id: string,
    @Req() request: { file?: { buffer: Buffer } },
  ): Promise<AppView> {
    if (!request.file) throw InvalidInput.field('file', 'Field required', 'missing');
    return appView(await this.logos.replace(ctx, id, request.file.buffer), this.settings.baseUrl);
  }

  @Delete()
  @Requires({ minimumRole: 'app_admin' })
  @ApiOperation({ summary: 'Remove the uploaded logo', description: '`logo_url` is used again, if it is set.' })
  @ApiOkResponse({ type: AppView })
  @ApiNotFoundResponse({ description: '`App not found`' })
  async remove(@Ctx() ctx: RequestContext, @Param('app_id') id: string): Promise<AppView> {
    return appView(await this.logos.remove(ctx, id), this.settings.baseUrl);
  }
}
