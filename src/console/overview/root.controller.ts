import { Controller, Get, Inject, Res } from '@nestjs/common';
import { ApiFoundResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { SETTINGS, type Settings } from '../../config/settings.js';
import { Public } from '../../common/http/access-marks.js';
import { redirectTo } from '../../common/http/redirect-to.js';

/** Redirects `/`, for operators who type the address, to the console, or in the embedded mode to its start page. */
@ApiTags('Operations')
@Controller()
export class RootController {
  constructor(@Inject(SETTINGS) private readonly settings: Settings) {}

  @Get()
  @Public()
  @ApiOperation({ summary: 'Root of the service', description: 'Redirects to the console.' })
  @ApiFoundResponse({ description: 'Redirects to `/console/`' })
  open(@Res() response: Response): void {
    redirectTo(response, this.settings.embedded ? '/dev' : '/console/');
  }
}
