import { Controller, Get, Param, Post, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import type { App } from '../../../apps/app/app.entity.js';
import { AppsService } from '../../../apps/directory/apps.service.js';
import { InviteCreateForApp } from '../../../invites/creation/invite.dto.js';
import type { ShownInvite } from '../../../invites/invite/invite.view.js';
import { InviteNotFound } from '../../../invites/invite/invites.errors.js';
import { InvitesService } from '../../../invites/creation/invites.service.js';
import { ConsolePage } from '../../frame/pages/console-page.js';
import {
  type ConsoleRequest,
  type Fields,
  FormFields,
  CurrentConsoleRequest,
} from '../../frame/requests/console-request.js';
import { formErrors, readForm } from '../../frame/lists/form-input.js';
import { resendQuestion, revokeQuestion } from '../../invites/invite-questions.js';
import { AppPages } from '../page/app-pages.js';
import { appPath } from '../page/app-tabs.js';
import { tickedOf, wholeOf } from '../../frame/lists/form-values.js';
import { InvitesTab, ROLE } from './invites-tab.js';

/** Invites of an app. App managers can create them; only the app's admins can also revoke them. */
@Controller('console/apps/:app_id/invites')
export class InvitesTabController {
  constructor(
    private readonly invites: InvitesService,
    private readonly apps: AppsService,
    private readonly tab: InvitesTab,
    private readonly pages: AppPages,
  ) {}

  @Get()
  @ConsolePage('app_manager', { recentSignIn: 'for_codes' })
  show(
    @CurrentConsoleRequest() consoleRequest: ConsoleRequest,
    @Param('app_id') id: string,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    return this.tab.show(consoleRequest, request, response, id);
  }

  @Post()
  @ConsolePage('app_manager', { recentSignIn: 'for_authority' })
  async create(
    @CurrentConsoleRequest() consoleRequest: ConsoleRequest,
    @Param('app_id') id: string,
    @FormFields() fields: Fields,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const form = readForm(InviteCreateForApp, {
      roles: ['user', ...tickedOf(fields, ROLE)],
      send_to_email: fields['send_to_email'] === '' ? null : fields['send_to_email'],
      max_uses: wholeOf(fields['max_uses']),
      expires_days: wholeOf(fields['expires_days']),
    });
    if ('errors' in form) return this.tab.show(consoleRequest, request, response, id, fields, form.errors);
    try {
      const { invite } = await this.invites.create(consoleRequest.ctx, id, form.input);
      const done = invite.email ? `The invite was sent to ${invite.email}.` : 'The invite was created.';
      await this.pages.redirectWithFlash(consoleRequest, response, appPath({ id }, 'invites'), done);
    } catch (error) {
      return this.tab.show(consoleRequest, request, response, id, fields, formErrors(error));
    }
  }

  @Get(':invite_id/revoke')
  @ConsolePage('app_admin')
  async askRevoke(
    @CurrentConsoleRequest() consoleRequest: ConsoleRequest,
    @Param('app_id') id: string,
    @Param('invite_id') inviteId: string,
    @Res() response: Response,
  ): Promise<void> {
    const { app, shown } = await this.find(consoleRequest, id, inviteId);
    await this.pages.ask(consoleRequest, response, app, 'invites', {
      ...revokeQuestion(shown.invite),
      action: appPath(app, 'invites', `/${inviteId}/revoke`),
    });
  }

  @Post(':invite_id/revoke')
  @ConsolePage('app_admin')
  async revoke(
    @CurrentConsoleRequest() consoleRequest: ConsoleRequest,
    @Param('app_id') id: string,
    @Param('invite_id') inviteId: string,
    @Res() response: Response,
  ): Promise<void> {
    const { app } = await this.find(consoleRequest, id, inviteId);
    await this.invites.revoke(consoleRequest.ctx, inviteId);
    await this.pages.redirectWithFlash(consoleRequest, response, appPath(app, 'invites'), 'The invite was revoked.');
  }

  @Get(':invite_id/resend')
  @ConsolePage('app_admin', { recentSignIn: 'for_authority' })
  async askResend(
    @CurrentConsoleRequest() consoleRequest: ConsoleRequest,
    @Param('app_id') id: string,
    @Param('invite_id') inviteId: string,
    @Res() response: Response,
  ): Promise<void> {
    const { app, shown } = await this.find(consoleRequest, id, inviteId);
    await this.pages.ask(consoleRequest, response, app, 'invites', {
      ...resendQuestion(shown.invite),
      action: appPath(app, 'invites', `/${inviteId}/resend`),
    });
  }

  @Post(':invite_id/resend')
  @ConsolePage('app_admin', { recentSignIn: 'for_authority' })
  async resend(
    @CurrentConsoleRequest() consoleRequest: ConsoleRequest,
    @Param('app_id') id: string,
    @Param('invite_id') inviteId: string,
    @Res() response: Response,
  ): Promise<void> {
    const { app } = await this.find(consoleRequest, id, inviteId);
    const { invite } = await this.invites.resend(consoleRequest.ctx, inviteId, {});
    const done = invite.email ? `A new invite was sent to ${invite.email}` : 'A new invite was created';
    await this.pages.redirectWithFlash(
      consoleRequest,
      response,
      appPath(app, 'invites'),
      `${done}. The previous one no longer works.`,
    );
  }

  /** @throws InviteNotFound, also for an invite to another app */
  private async find({ ctx }: ConsoleRequest, id: string, inviteId: string): Promise<{ app: App; shown: ShownInvite }> {
    const shown = await this.invites.get(ctx, inviteId);
    if (shown.invite.appId !== id) throw new InviteNotFound();
    return { app: await this.apps.get(id), shown };
  }
}
