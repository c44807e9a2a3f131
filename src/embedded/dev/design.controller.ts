import { Controller, Get, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Response } from 'express';
import { Browser } from '../../common/http/access-marks.js';
import { PageRenderer } from '../../common/pages/page-renderer.js';
import { designSample } from './design-sample.js';

/** Every component of the pages in both themes, side by side. */
@ApiExcludeController()
@Controller('dev/design')
export class DesignController {
  constructor(private readonly pages: PageRenderer) {}

  @Get()
  @Browser()
  async show(@Res() response: Response): Promise<void> {
    await this.pages.send(response, {
      view: 'dev/design',
      title: 'Design system · Identity Broker',
      layout: 'dev',
      model: { samples: [designSample('light'), designSample('dark')] },
    });
  }
}
