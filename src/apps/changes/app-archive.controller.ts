import { Controller, HttpCode, Inject, Param, Post } from '@nestjs/common';
import {
  ApiBearerAuth,
  ApiConflictResponse,
  ApiNotFoundResponse,
  ApiOkResponse,
  ApiOperation,
  ApiTags,
} from '@nestjs/swagger';
import { Requires } from '../../common/http/access-marks.js';
import { Ctx } from '../../common/http/context.decorator.js';
import type { RequestContext } from '../../common/request-context.js';
import { SETTINGS, type Settings } from '../../config/settings.js';
import { AppView, appView } from '../settings/app.view.js';
import { AppArchiveService } from './app-archive.service.js';

@ApiTags('Admin: apps')
@ApiBearerAuth()
@Controller('admin/apps')
export class AppArchiveController {
  constructor(
    private readonly archives: AppArchiveService,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  @Post(':app_id/archive')
  @HttpCode(200)
  @Requires({ minimumRole: 'tenant_admin' })
  @ApiOperation({
    summary: 'Archive an app',
    description:
      'Switches the app off and hides it from lists. Its data and bundle ID are kept. Console apps cannot be archived.',
  })
  @ApiOkResponse({ type: AppView })
  @ApiNotFoundResponse({ description: '`App not found`' })
  async archive(@Ctx() ctx: RequestContext, @Param('app_id') id: string): Promise<AppView> {
    return appView(await this.archives.archive(ctx, id), this.settings.baseUrl);
  }

  @Post(':app_id/restore')
  @HttpCode(200)
  @Requires({ minimumRole: 'tenant_admin' })
  @ApiOperation({
    summary: 'Restore an archived app',
    description: 'The app stays switched off until you switch it on.',
  })
  @ApiOkResponse({ type: AppView })
  @ApiNotFoundResponse({ description: '`App not found`' })
  @ApiConflictResponse({ description: '`The tenant has too many apps. Archive one first` (at 1,000 apps)' })
  async restore(@Ctx() ctx: RequestContext, @Param('app_id') id: string): Promise<AppView> {
    return appView(await this.archives.restore(ctx, id), this.settings.baseUrl);
  }
}
