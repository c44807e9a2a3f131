import { Controller, Get, Param, Post, Res } from '@nestjs/common';
import type { Response } from 'express';
import type { App } from '../../../apps/app/app.entity.js';
import { AppArchiveService } from '../../../apps/changes/app-archive.service.js';
import type { FormError } from '../../../common/pages/form-error.js';
import { isTyped, notTyped } from '../../frame/pages/confirmation.js';
import { ConsolePage } from '../../frame/pages/console-page.js';
import {
  type ConsoleRequest,
  type Fields,
  FormFields,
  CurrentConsoleRequest,
} from '../../frame/requests/console-request.js';
import { ChangeReview } from '../../previews/change-review.js';
import { AppPages } from '../page/app-pages.js';
import { appPath } from '../page/app-tabs.js';
import { formToReview } from './switch-off-review.js';

/** Archives and restores an app, from its Danger tab. */
@Controller('console/apps/:app_id/danger')
export class ArchiveController {
  constructor(
    private readonly archives: AppArchiveService,
    private readonly review: ChangeReview,
    private readonly pages: AppPages,
  ) {}

  @Get('archive')
  @ConsolePage('tenant_admin')
  async ask(
    @CurrentConsoleRequest() consoleRequest: ConsoleRequest,
    @Param('app_id') id: string,
    @Res() response: Response,
  ): Promise<void> {
    await this.question(consoleRequest, response, await this.pages.governed(consoleRequest, id), []);
  }

  @Post('archive')
  @ConsolePage('tenant_admin')
  async archive(
    @CurrentConsoleRequest() consoleRequest: ConsoleRequest,
    @Param('app_id') id: string,
    @FormFields() fields: Fields,
    @Res() response: Response,
  ): Promise<void> {
    const app = await this.pages.governed(consoleRequest, id);
    if (!isTyped(fields, app.name)) return this.question(consoleRequest, response, app, notTyped());
    const form = formToReview(this.pages.navigationBelow(consoleRequest, app, 'danger'), app, fields, '/archive');
    const reviewed = await this.review.ofApp(consoleRequest, response, form);
    if (!reviewed) return;
    await this.archives.archive(consoleRequest.ctx, id, reviewed.prediction);
    await this.pages.redirectWithFlash(consoleRequest, response, '/console/apps', `${app.name} is archived.`);
  }

  @Post('restore')
  @ConsolePage('tenant_admin')
  async restore(
    @CurrentConsoleRequest() consoleRequest: ConsoleRequest,
    @Param('app_id') id: string,
    @Res() response: Response,
  ): Promise<void> {
    const app = await this.archives.restore(consoleRequest.ctx, id);
    const said = `${app.name} is restored. It is still switched off.`;
    await this.pages.redirectWithFlash(consoleRequest, response, appPath(app, 'danger'), said);
  }

  private async question(
    consoleRequest: ConsoleRequest,
    response: Response,
    app: App,
    errors: readonly FormError[],
  ): Promise<void> {
    await this.pages.ask(consoleRequest, response, app, 'danger', {
      title: `Archive ${app.name}?`,
      lead: 'The app is switched off: users can no longer sign in or refresh tokens, and service tokens and notifications stop at once. It is hidden from lists. All data is kept, and you can restore the app.',
      typeToConfirm: app.name,
      action: appPath(app, 'danger', '/archive'),
      button: 'Archive app',
      errors,
    });
  }
}
