import { Controller, Get, Param, Post, Res } from '@nestjs/common';
import type { Response } from 'express';
import type { FormError } from '../../../common/pages/form-error.js';
import { Refusal } from '../../../common/refusal.js';
import { TestNotificationsService } from '../../../push/notifications/sending/test-notifications.service.js';
import { PushConfigUpdate } from '../../../push/settings/push-settings.dto.js';
import { PushSettingsService } from '../../../push/settings/push-settings.service.js';
import { ConsolePage } from '../../frame/pages/console-page.js';
import {
  type ConsoleRequest,
  type Fields,
  FormFields,
  CurrentConsoleRequest,
} from '../../frame/requests/console-request.js';
import { formErrors, readForm } from '../../frame/lists/form-input.js';
import { AppPages } from '../page/app-pages.js';
import { appPath } from '../page/app-tabs.js';
import { wholeOf } from '../../frame/lists/form-values.js';
import { FirebaseRemoval } from './firebase-removal.js';
import { PushTab } from './push-tab.js';

const ACCOUNT = 'fcm_service_account';

/** Push settings of an app: on or off, daily quota, provider accounts. */
@Controller('console/apps/:app_id/push')
export class PushTabController {
  constructor(
    private readonly settings: PushSettingsService,
    private readonly tests: TestNotificationsService,
    private readonly tab: PushTab,
    private readonly removal: FirebaseRemoval,
    private readonly pages: AppPages,
  ) {}

  @Get()
  @ConsolePage('app_admin')
  show(
    @CurrentConsoleRequest() consoleRequest: ConsoleRequest,
    @Param('app_id') id: string,
    @Res() response: Response,
  ): Promise<void> {
    return this.tab.show(consoleRequest, response, id);
  }

  @Post()
  @ConsolePage('app_admin')
  async save(
    @CurrentConsoleRequest() consoleRequest: ConsoleRequest,
    @Param('app_id') id: string,
    @FormFields() fields: Fields,
    @Res() response: Response,
  ): Promise<void> {
    const form = readForm(PushConfigUpdate, {
      enabled: fields['enabled'] === 'on',
      daily_quota: wholeOf(fields['daily_quota']),
    });
    if ('errors' in form) return this.tab.show(consoleRequest, response, id, fields, form.errors);
    await this.settings.update(consoleRequest.ctx, id, form.input);
    await this.pages.redirectWithFlash(
      consoleRequest,
      response,
      appPath({ id }, 'push'),
      'The push settings were saved.',
    );
  }

  /** Write-only: the stored account is never shown, not even after an error. */
  @Post('firebase')
  @ConsolePage('app_admin', { recentSignIn: 'always' })
  async saveAccount(
    @CurrentConsoleRequest() consoleRequest: ConsoleRequest,
    @Param('app_id') id: string,
    @FormFields() fields: Fields,
    @Res() response: Response,
  ): Promise<void> {
    const account = parsedAccount(fields[ACCOUNT]);
    if (!account)
      return this.tab.show(consoleRequest, response, id, null, [fault('Paste the whole JSON file of the account.')]);
    try {
      await this.settings.update(consoleRequest.ctx, id, { [ACCOUNT]: account });
    } catch (error) {
      const missing = formErrors(error).map(({ field }) => fault(`The file has no field ${field}.`));
      return this.tab.show(consoleRequest, response, id, null, missing);
    }
    await this.pages.redirectWithFlash(
      consoleRequest,
      response,
      appPath({ id }, 'push'),
      'The Firebase account was saved.',
    );
  }

  @Get('firebase/remove')
  @ConsolePage('app_admin')
  async askToRemoveAccount(
    @CurrentConsoleRequest() consoleRequest: ConsoleRequest,
    @Param('app_id') id: string,
    @Res() response: Response,
  ): Promise<void> {
    await this.removal.ask(consoleRequest, response, id);
  }

  @Post('firebase/remove')
  @ConsolePage('app_admin', { recentSignIn: 'always' })
  async removeAccount(
    @CurrentConsoleRequest() consoleRequest: ConsoleRequest,
    @Param('app_id') id: string,
    @Res() response: Response,
  ): Promise<void> {
    await this.settings.update(consoleRequest.ctx, id, { [ACCOUNT]: null });
    const done = 'The Firebase account was removed. If this installation has its own account, that one is used.';
    await this.pages.redirectWithFlash(consoleRequest, response, appPath({ id }, 'push'), done);
  }

  @Post('test')
  @ConsolePage('app_admin')
  async test(
    @CurrentConsoleRequest() consoleRequest: ConsoleRequest,
    @Param('app_id') id: string,
    @Res() response: Response,
  ): Promise<void> {
    const app = await this.pages.governed(consoleRequest, id);
    const text = { title: `Test of ${app.name}`, body: 'You sent this to yourself from the console.' };
    try {
      const notificationId = await this.tests.sendToOneself(consoleRequest.ctx, id, text);
      const path = appPath(app, 'push', `/notifications/${notificationId}`);
      await this.pages.redirectWithFlash(
        consoleRequest,
        response,
        path,
        'The notification to your devices was queued.',
      );
    } catch (error) {
      return this.tab.show(consoleRequest, response, id, null, [testFault(error)]);
    }
  }
}

function parsedAccount(text: string | undefined): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text ?? '');
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null;
  } catch {
    return null;
  }
}

function fault(message: string): FormError {
  return { field: ACCOUNT, message };
}

const TEST_FAULTS: Readonly<Record<string, string>> = {
  push_not_enabled: 'Turn on push notifications first.',
  user_not_enrolled: 'Join this app to send yourself a test notification.',
  daily_quota_exceeded: 'You have used up today’s quota. It resets at midnight UTC.',
};

/** @throws the error itself if it is none of {@link TEST_FAULTS} */
function testFault(error: unknown): FormError {
  const message = error instanceof Refusal ? TEST_FAULTS[error.code] : undefined;
  if (!message) throw error;
  return { field: null, message };
}
