import { Controller, Get, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { BrowserBinding } from '../../auth/session/browser-binding.js';
import { Browser } from '../../common/http/access-marks.js';
import { PageRenderer } from '../../common/pages/page-renderer.js';
import { EXAMPLE_DATA_FORM } from '../../config/example-data.js';
import { UsersService } from '../../users/users.service.js';
import { ExampleData } from './example/example-data.service.js';

/** First steps, and links to all pages of the embedded mode. */
@ApiExcludeController()
@Controller('dev')
export class StartController {
  constructor(
    private readonly users: UsersService,
    private readonly example: ExampleData,
    private readonly browser: BrowserBinding,
    private readonly pages: PageRenderer,
  ) {}

  @Get()
  @Browser()
  async show(@Req() request: Request, @Res() response: Response): Promise<void> {
    const [hasAdmin, hasExample] = await Promise.all([this.users.platformAdminExists(), this.example.isPresent()]);
    const formToken = this.browser.formToken(this.browser.ensure(request, response), EXAMPLE_DATA_FORM.purpose);
    await this.pages.send(response, {
      view: 'dev/start',
      title: 'Start',
      layout: 'dev',
      model: { hasAdmin, hasExample, fill: { action: EXAMPLE_DATA_FORM.action, formToken } },
    });
  }
}
