import { Controller, Get, Param, Post, Req, Res, UseInterceptors } from '@nestjs/common';
import type { Request, Response } from 'express';
import { AppLogosService } from '../../../apps/pictures/app-logos.service.js';
import type { App } from '../../../apps/app/app.entity.js';
import type { AppPicture } from '../../../apps/settings/app-pictures.js';
import type { FormError } from '../../../common/pages/form-error.js';
import { ConsolePage } from '../../frame/pages/console-page.js';
import { type ConsoleRequest, CurrentConsoleRequest } from '../../frame/requests/console-request.js';
import { formErrors } from '../../frame/lists/form-input.js';
import { AppPages } from '../page/app-pages.js';
import { appPath } from '../page/app-tabs.js';
import { BrandingTab } from './branding-tab.js';
import { LogoForm, type LogoRequest } from './logo-form.interceptor.js';
import {
  PICTURE_PATHS,
  PICTURE_REMOVAL_PATHS,
  PICTURE_WORDS,
  pictureAt,
  pictureField,
  picturePath,
} from './picture-forms.js';

const NO_FILE: FormError = { field: 'file', message: 'Choose a file first.' };
const REFUSALS = { unsupported_image_type: 'file' };

/** The uploaded pictures of an app, on its branding tab. */
@Controller('console/apps/:app_id/branding')
export class PicturesController {
  constructor(
    private readonly logos: AppLogosService,
    private readonly pages: AppPages,
    private readonly tab: BrandingTab,
  ) {}

  @Post(PICTURE_PATHS)
  @ConsolePage('app_admin')
  @UseInterceptors(LogoForm)
  async upload(
    @CurrentConsoleRequest() consoleRequest: ConsoleRequest,
    @Param('app_id') id: string,
    @Req() request: LogoRequest,
    @Res() response: Response,
  ): Promise<void> {
    const app = await this.pages.governed(consoleRequest, id);
    const picture = pictureAt(request.path);
    const refuse = (errors: readonly FormError[]) =>
      this.tab.show(consoleRequest, response, app, {}, atPicture(picture, errors));
    const fault = request.logoFault ?? (request.file ? null : NO_FILE);
    if (fault || !request.file) return refuse([fault ?? NO_FILE]);
    try {
      await this.logos.replace(consoleRequest.ctx, id, picture, request.file.buffer);
    } catch (error) {
      return refuse(formErrors(error, REFUSALS));
    }
    await this.leave(consoleRequest, response, app, `The ${PICTURE_WORDS[picture].name} was uploaded.`);
  }

  @Get(PICTURE_REMOVAL_PATHS)
  @ConsolePage('app_admin')
  async askToRemove(
    @CurrentConsoleRequest() consoleRequest: ConsoleRequest,
    @Param('app_id') id: string,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const app = await this.pages.governed(consoleRequest, id);
    const picture = pictureAt(request.path);
    const { name } = PICTURE_WORDS[picture];
    await this.pages.ask(consoleRequest, response, app, 'branding', {
      title: `Remove the uploaded ${name} of ${app.name}?`,
      lead: 'The image is deleted. You can upload it again.',
      impact: [afterwards(app, picture)],
      action: picturePath(app, picture, '/remove'),
      button: `Remove ${name}`,
    });
  }

  @Post(PICTURE_REMOVAL_PATHS)
  @ConsolePage('app_admin')
  async remove(
    @CurrentConsoleRequest() consoleRequest: ConsoleRequest,
    @Param('app_id') id: string,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const picture = pictureAt(request.path);
    const app = await this.logos.remove(consoleRequest.ctx, id, picture);
    await this.leave(consoleRequest, response, app, `The ${PICTURE_WORDS[picture].name} was removed.`);
  }

  private leave(consoleRequest: ConsoleRequest, response: Response, app: App, words: string): Promise<void> {
    return this.pages.redirectWithFlash(consoleRequest, response, appPath(app, 'branding'), words);
  }
}

/** Shows errors of a file next to the field of its picture. */
function atPicture(picture: AppPicture, errors: readonly FormError[]): FormError[] {
  return errors.map((error) => (error.field === 'file' ? { ...error, field: pictureField(picture) } : error));
}

/** What pages show after the picture is removed. */
function afterwards({ branding }: App, picture: AppPicture): { label: string; value: string } {
  const address = branding.logo_url;
  switch (picture) {
    case 'logo':
      return {
        label: 'Sign-in pages and e-mails show',
        value: address ? `The logo at ${address}` : 'The name of the app',
      };
    case 'dark_logo':
      return { label: 'Dark pages show', value: 'The logo, as light pages do' };
    case 'favicon':
      return { label: 'The tab of the browser shows', value: 'The icon of the service' };
  }
}
