import { Controller, Param, Post, Res } from '@nestjs/common';
import type { Response } from 'express';
import { TestMails } from '../../../admin/mail-log/test-mails.service.js';
import { ConsolePage } from '../../frame/pages/console-page.js';
import { type ConsoleRequest, CurrentConsoleRequest } from '../../frame/requests/console-request.js';
import { formErrors } from '../../frame/lists/form-input.js';
import { AppPages } from '../page/app-pages.js';
import { appPath } from '../page/app-tabs.js';
import { BrandingTab } from './branding-tab.js';
import { PreviewedApps } from './previewed-apps.js';

/** A test e-mail in the saved branding of an app, to the operator. */
@Controller('console/apps/:app_id/branding/test-mail')
export class TestMailController {
  constructor(
    private readonly apps: PreviewedApps,
    private readonly mails: TestMails,
    private readonly tab: BrandingTab,
    private readonly pages: AppPages,
  ) {}

  @Post()
  @ConsolePage('app_admin')
  async send(
    @CurrentConsoleRequest() consoleRequest: ConsoleRequest,
    @Param('app_id') id: string,
    @Res() response: Response,
  ): Promise<void> {
    const client = await this.apps.get(consoleRequest, id);
    let address: string;
    try {
      address = await this.mails.send(consoleRequest.session.userId, client);
    } catch (error) {
      return this.tab.show(consoleRequest, response, client.app, {}, formErrors(error));
    }
    const text = `A test e-mail to ${address} was queued.`;
    await this.pages.redirectWithFlash(consoleRequest, response, appPath(client.app, 'branding'), text);
  }
}
