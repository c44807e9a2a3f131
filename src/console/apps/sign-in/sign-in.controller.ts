import { Controller, Get, HttpCode, Inject, Param, Post, Res } from '@nestjs/common';
import type { Response } from 'express';
import type { AppUpdate } from '../../../apps/settings/app.dto.js';
import type { App } from '../../../apps/app/app.entity.js';
import { AppUpdateService } from '../../../apps/changes/app-update.service.js';
import { canAdministerPlatform, canAdministerTenant } from '../../../common/actor.js';
import { sendFile } from '../../../common/http/streams/streamed-file.js';
import type { FormError } from '../../../common/pages/form-error.js';
import { SETTINGS, type Settings } from '../../../config/settings.js';
import { ConsolePage } from '../../frame/pages/console-page.js';
import {
  type ConsoleRequest,
  type Fields,
  FormFields,
  CurrentConsoleRequest,
} from '../../frame/requests/console-request.js';
import { confirmFirst } from '../../frame/requests/console.errors.js';
import { formErrors } from '../../frame/lists/form-input.js';
import { SettingChanges } from '../../previews/setting-changes.js';
import { ChangeReview } from '../../previews/change-review.js';
import { AppPages } from '../page/app-pages.js';
import { appPath } from '../page/app-tabs.js';
import { readSignIn, signInModel } from './sign-in-form.js';
import { movesMethod } from './sign-in-methods.js';

/** Sign-in settings of an app: users, methods, redirect URIs and lifetimes. */
@Controller('console/apps/:app_id/sign-in')
export class SignInTabController {
  constructor(
    private readonly updates: AppUpdateService,
    private readonly review: ChangeReview,
    private readonly pages: AppPages,
    private readonly changes: SettingChanges,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  @Get()
  @ConsolePage('app_admin', { recentSignIn: 'for_settings' })
  async show(
    @CurrentConsoleRequest() consoleRequest: ConsoleRequest,
    @Param('app_id') id: string,
    @Res() response: Response,
  ): Promise<void> {
    await this.form(consoleRequest, response, await this.pages.governed(consoleRequest, id), null, []);
  }

  @Post()
  @ConsolePage('app_admin', { recentSignIn: 'for_settings' })
  async save(
    @CurrentConsoleRequest() consoleRequest: ConsoleRequest,
    @Param('app_id') id: string,
    @FormFields() fields: Fields,
    @Res() response: Response,
  ): Promise<void> {
    const app = await this.pages.governed(consoleRequest, id);
    if (movesMethod(fields)) return this.form(consoleRequest, response, app, fields, []);
    const form = readSignIn(app, fields);
    if ('errors' in form) return this.form(consoleRequest, response, app, fields, form.errors);
    try {
      await this.updates.checkConfirmed(consoleRequest.ctx, id, form.input);
      const about = this.formToReview(consoleRequest, app, fields, form.input);
      const reviewed = await this.review.ofApp(consoleRequest, response, about);
      if (!reviewed) return;
      await this.updates.update(consoleRequest.ctx, id, form.input, reviewed.prediction);
    } catch (error) {
      return this.form(consoleRequest, response, app, fields, formErrors(error));
    }
    await this.pages.redirectWithFlash(
      consoleRequest,
      response,
      appPath(app, 'sign-in'),
      'The sign-in settings were saved.',
    );
  }

  /** The users whom the change affects, as a file. */
  @Post('affected')
  @HttpCode(200)
  @ConsolePage('app_admin')
  async affected(
    @CurrentConsoleRequest() consoleRequest: ConsoleRequest,
    @Param('app_id') id: string,
    @FormFields() fields: Fields,
    @Res() response: Response,
  ): Promise<void> {
    const app = await this.pages.governed(consoleRequest, id);
    const form = readSignIn(app, fields);
    if ('errors' in form) return this.form(consoleRequest, response, app, fields, form.errors);
    await sendFile(response, await this.review.fileOfApp(consoleRequest, id, form.input));
  }

  private formToReview(consoleRequest: ConsoleRequest, app: App, fields: Fields, input: AppUpdate) {
    return {
      id: app.id,
      input,
      fields,
      navigation: this.pages.navigationBelow(consoleRequest, app, 'sign-in'),
      action: appPath(app, 'sign-in'),
      fileAction: appPath(app, 'sign-in', '/affected'),
      back: appPath(app, 'sign-in'),
    };
  }

  private async form(
    consoleRequest: ConsoleRequest,
    response: Response,
    app: App,
    fields: Fields | null,
    errors: readonly FormError[],
  ): Promise<void> {
    const namesNativeApps = !app.isConsoleApp && canAdministerPlatform(consoleRequest.ctx.actor);
    const namesResources = canAdministerTenant(consoleRequest.ctx.actor, app.tenantId);
    const offersConsent = namesResources || !app.config.third_party;
    const settingChanges = await this.changes.of(consoleRequest.ctx, app.tenantId, app.id);
    const offered = { namesNativeApps, namesResources, offersConsent };
    const mayWait = !consoleRequest.impersonation;
    const confirmUrl = confirmFirst(consoleRequest.ctx, appPath(app, 'sign-in'));
    const model = { ...signInModel(app, this.settings, fields), ...offered, settingChanges, mayWait, confirmUrl };
    return this.pages.show(consoleRequest, response, app, { tab: 'sign-in', errors, model });
  }
}
