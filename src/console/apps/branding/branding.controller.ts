import { Controller, Get, Param, Post, Query, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { AppUpdateService } from '../../../apps/changes/app-update.service.js';
import { PageRenderer } from '../../../common/pages/page-renderer.js';
import { ConsolePage } from '../../frame/pages/console-page.js';
import {
  type ConsoleRequest,
  type Fields,
  FormFields,
  CurrentConsoleRequest,
} from '../../frame/requests/console-request.js';
import { formErrors } from '../../frame/lists/form-input.js';
import { AppPages } from '../page/app-pages.js';
import { appPath } from '../page/app-tabs.js';
import { BrandingTab } from './branding-tab.js';
import { readBranding, typedBranding } from './branding-form.js';
import { sampleOf } from './sample-mails.js';

/** How an app looks to users who sign in, with a preview that follows the form. */
@Controller('console/apps/:app_id/branding')
export class BrandingController {
  constructor(
    private readonly updates: AppUpdateService,
    private readonly pages: AppPages,
    private readonly renderer: PageRenderer,
    private readonly tab: BrandingTab,
  ) {}

  /**
   * Without query parameters the preview shows the saved state. The form requests it with the current input while the
   * user types.
   */
  @Get()
  @ConsolePage('app_admin')
  async show(
    @CurrentConsoleRequest() consoleRequest: ConsoleRequest,
    @Param('app_id') id: string,
    @Query() query: Readonly<Record<string, unknown>>,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const app = await this.pages.governed(consoleRequest, id);
    const sample = sampleOf(query['mail']);
    if (request.get('hx-request') !== 'true') return this.tab.show(consoleRequest, response, app, {}, [], sample);
    const preview = await this.tab.preview(app, typedBranding(query), sample);
    const view = 'console/apps/preview';
    await this.renderer.send(response, { view, layout: 'fragment', title: 'Preview', model: { preview } });
  }

  @Post()
  @ConsolePage('app_admin')
  async save(
    @CurrentConsoleRequest() consoleRequest: ConsoleRequest,
    @Param('app_id') id: string,
    @FormFields() fields: Fields,
    @Res() response: Response,
  ): Promise<void> {
    const app = await this.pages.governed(consoleRequest, id);
    const form = readBranding(fields);
    if ('errors' in form) return this.tab.show(consoleRequest, response, app, fields, form.errors);
    try {
      await this.updates.update(consoleRequest.ctx, id, form.input);
    } catch (error) {
      return this.tab.show(consoleRequest, response, app, fields, formErrors(error));
    }
    await this.pages.redirectWithFlash(consoleRequest, response, appPath(app, 'branding'), 'The branding was saved.');
  }
}
