import { Controller, Get, HttpCode, Param, Post, Res } from '@nestjs/common';
import type { Response } from 'express';
import type { App } from '../../../apps/app/app.entity.js';
import { AppUpdateService } from '../../../apps/changes/app-update.service.js';
import type { FormError } from '../../../common/pages/form-error.js';
import { canAdministerTenant } from '../../../common/actor.js';
import { sendFile } from '../../../common/http/streams/streamed-file.js';
import { isTyped, notTyped } from '../../frame/pages/confirmation.js';
import { ConsolePage } from '../../frame/pages/console-page.js';
import {
  type ConsoleRequest,
  type Fields,
  FormFields,
  CurrentConsoleRequest,
} from '../../frame/requests/console-request.js';
import { ChangeReview } from '../../previews/change-review.js';
import { AppImpact } from './app-impact.js';
import { AppPages } from '../page/app-pages.js';
import { appPath } from '../page/app-tabs.js';
import { formToReview, SWITCH_OFF } from './switch-off-review.js';

/** Switches an app off. */
@Controller('console/apps/:app_id')
export class DangerTabController {
  constructor(
    private readonly updates: AppUpdateService,
    private readonly review: ChangeReview,
    private readonly impact: AppImpact,
    private readonly pages: AppPages,
  ) {}

  @Get('danger')
  @ConsolePage('app_admin')
  async show(
    @CurrentConsoleRequest() consoleRequest: ConsoleRequest,
    @Param('app_id') id: string,
    @Res() response: Response,
  ): Promise<void> {
    const app = await this.pages.governed(consoleRequest, id);
    await this.pages.show(consoleRequest, response, app, {
      tab: 'danger',
      model: {
        isOff: !app.isActive,
        isArchived: app.archivedAt !== null,
        archiveUrl: appPath(app, 'danger', '/archive'),
        restoreAction: appPath(app, 'danger', '/restore'),
        maySwitch: canAdministerTenant(consoleRequest.actor, app.tenantId) && !app.isConsoleApp,
        offUrl: appPath(app, 'danger', '/off'),
        onAction: appPath(app, 'overview', '/on'),
        impact: await this.impact.of(consoleRequest, app),
      },
    });
  }

  @Get('danger/off')
  @ConsolePage('tenant_admin')
  async ask(
    @CurrentConsoleRequest() consoleRequest: ConsoleRequest,
    @Param('app_id') id: string,
    @Res() response: Response,
  ): Promise<void> {
    await this.question(consoleRequest, response, await this.pages.governed(consoleRequest, id), []);
  }

  @Post('danger/off')
  @ConsolePage('tenant_admin')
  async switchOff(
    @CurrentConsoleRequest() consoleRequest: ConsoleRequest,
    @Param('app_id') id: string,
    @FormFields() fields: Fields,
    @Res() response: Response,
  ): Promise<void> {
    const app = await this.pages.governed(consoleRequest, id);
    if (!isTyped(fields, app.name)) return this.question(consoleRequest, response, app, notTyped());
    const form = formToReview(this.pages.navigationBelow(consoleRequest, app, 'danger'), app, fields, '/off');
    const reviewed = await this.review.ofApp(consoleRequest, response, form);
    if (!reviewed) return;
    await this.updates.update(consoleRequest.ctx, id, SWITCH_OFF, reviewed.prediction);
    await this.pages.redirectWithFlash(
      consoleRequest,
      response,
      appPath(app),
      `${app.name} is switched off. Users can’t sign in to it.`,
    );
  }

  /** The members who could no longer sign in, as a file. */
  @Post('danger/affected')
  @HttpCode(200)
  @ConsolePage('tenant_admin')
  async affected(
    @CurrentConsoleRequest() consoleRequest: ConsoleRequest,
    @Param('app_id') id: string,
    @Res() response: Response,
  ): Promise<void> {
    await sendFile(response, await this.review.fileOfApp(consoleRequest, id, SWITCH_OFF));
  }

  private async question(
    consoleRequest: ConsoleRequest,
    response: Response,
    app: App,
    errors: readonly FormError[],
  ): Promise<void> {
    await this.pages.ask(consoleRequest, response, app, 'danger', {
      title: `Switch ${app.name} off?`,
      lead: 'Users can no longer sign in or refresh tokens, and service tokens and notifications stop at once. All data is kept and works again when you switch the app on.',
      impact: await this.impact.of(consoleRequest, app),
      typeToConfirm: app.name,
      action: appPath(app, 'danger', '/off'),
      button: 'Switch app off',
      errors,
    });
  }
}
