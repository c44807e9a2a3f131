import { Controller, Get, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Response } from 'express';
import { Browser } from '../../common/http/access-marks.js';
import { PageRenderer } from '../../common/pages/page-renderer.js';
import { UsersService } from '../../users/users.service.js';

/** What to do first, and where everything of the embedded mode is. */
@ApiExcludeController()
@Controller('dev')
export class StartController {
  constructor(
    private readonly users: UsersService,
    private readonly pages: PageRenderer,
  ) {}

  @Get()
  @Browser()
  async show(@Res() response: Response): Promise<void> {
    await this.pages.send(response, {
      view: 'dev/start',
      title: 'Start',
      layout: 'dev',
      model: { hasAdmin: await this.users.platformAdminExists() },
    });
  }
}
