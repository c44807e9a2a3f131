import { Controller, Get, Param, Post, Query, Req, Res, UseInterceptors } from '@nestjs/common';
import type { Request, Response } from 'express';
import { AppUpdateService } from '../../apps/app-update.service.js';
import { AppLogosService } from '../../apps/app-logos.service.js';
import type { FormError } from '../../common/pages/form-error.js';
import { PageRenderer } from '../../common/pages/page-renderer.js';
import { ConsolePage } from '../frame/console-page.js';
import { type ConsoleRequest, type Fields, FormFields, CurrentConsoleRequest } from '../frame/console-request.js';
import { formErrors } from '../frame/form-input.js';
import { AppPages } from './app-pages.js';
import { appPath } from './app-tabs.js';
import { BrandingTab } from './branding-tab.js';
import { readBranding, typedBranding } from './branding-form.js';
import { LogoForm, type LogoRequest } from './logo-form.interceptor.js';
import { sampleOf } from './sample-mails.js';

const NO_FILE: FormError = { field: 'file', message: 'Choose a file first.' };
const REFUSALS = { unsupported_image_type: 'file' };

/** How an app looks to people who sign in, with a preview that follows the form. */
@Controller('console/apps/:app_id/branding')
export class BrandingController {
  constructor(
    private readonly updates: AppUpdateService,
    private readonly logos: AppLogosService,
    private readonly pages: AppPages,
    private readonly renderer: PageRenderer,
    private readonly tab: BrandingTab,
  ) {}

  /** Requested by the form while the user types, the preview shows the input; opened by a link, the saved state. */
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

  @Post('logo')
  @ConsolePage('app_admin')
  @UseInterceptors(LogoForm)
  async upload(
    @CurrentConsoleRequest() consoleRequest: ConsoleRequest,
    @Param('app_id') id: string,
    @Req() request: LogoRequest,
    @Res() response: Response,
  ): Promise<void> {
    const app = await this.pages.governed(consoleRequest, id);
    const fault = request.logoFault ?? (request.file ? null : NO_FILE);
    if (fault || !request.file) return this.tab.show(consoleRequest, response, app, {}, [fault ?? NO_FILE]);
    try {
      await this.logos.replace(consoleRequest.ctx, id, request.file.buffer);
    } catch (error) {
      return this.tab.show(consoleRequest, response, app, {}, formErrors(error, REFUSALS));
    }
    await this.pages.redirectWithFlash(consoleRequest, response, appPath(app, 'branding'), 'The logo was uploaded.');
  }

  @Get('logo/remove')
  @ConsolePage('app_admin')
  async askToRemove(
    @CurrentConsoleRequest() consoleRequest: ConsoleRequest,
    @Param('app_id') id: string,
    @Res() response: Response,
  ): Promise<void> {
    const app = await this.pages.governed(consoleRequest, id);
    const address = app.branding.logo_url;
    await this.pages.ask(consoleRequest, response, app, 'branding', {
      title: `Remove the uploaded logo of ${app.name}?`,
      lead: 'The image is deleted. You can upload it again.',
      impact: [
        { label: 'Sign-in pages and e-mails show', value: address ? `The logo at ${address}` : 'The name of the app' },
      ],
      action: appPath(app, 'branding', '/logo/remove'),
      button: 'Remove logo',
    });
  }

  @Post('logo/remove')
  @ConsolePage('app_admin')
  async remove(
    @CurrentConsoleRequest() consoleRequest: ConsoleRequest,
    @Param('app_id') id: string,
    @Res() response: Response,
  ): Promise<void> {
    const app = await this.logos.remove(consoleRequest.ctx, id);
    await this.pages.redirectWithFlash(consoleRequest, response, appPath(app, 'branding'), 'The logo was removed.');
  }
}
