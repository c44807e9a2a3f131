import { Controller, Get, HttpCode, Param, Post, Req, Res } from '@nestjs/common';
import {
  ApiConflictResponse,
  ApiFoundResponse,
  ApiNotFoundResponse,
  ApiOkResponse,
  ApiOperation,
  ApiSeeOtherResponse,
  ApiTags,
} from '@nestjs/swagger';
import type { Request, Response } from 'express';
import type { RegisteredClient } from '../../apps/directory/app-directory.js';
import { Browser } from '../../common/http/access-marks.js';
import { Ctx } from '../../common/http/context.decorator.js';
import { message } from '../../common/i18n/message.js';
import type { RequestContext } from '../../common/request-context.js';
import { EnrollmentNotFound, LastAppAdmin } from '../../enrollment/enrollments/enrollment.errors.js';
import { EnrollmentService } from '../../enrollment/memberships/enrollment.service.js';
import { ConsentRevocation } from '../../tokens/grants/revocation/consent-revocation.service.js';
import { AccountPage } from './page/account-page.js';
import { AccountPages } from './page/account-pages.js';
import { AccountVisits, type Visit } from './page/account-visits.js';
import { OwnApps } from './own/own-apps.service.js';

/** Leaving an app: the confirmation, and the action. */
@ApiTags('Account')
@Controller('account/apps')
@AccountPage()
export class AccountAppsController {
  constructor(
    private readonly visits: AccountVisits,
    private readonly pages: AccountPages,
    private readonly enrollment: EnrollmentService,
    private readonly apps: OwnApps,
    private readonly consents: ConsentRevocation,
  ) {}

  @Get(':joined_app_id/leave')
  @Browser()
  @ApiOperation({ summary: 'Show the confirmation page for leaving an app' })
  @ApiOkResponse({ description: 'HTML' })
  @ApiFoundResponse({
    description: 'Redirects to the sign-in if there is no session, or the sign-in is older than five minutes',
  })
  @ApiNotFoundResponse({ description: '`Enrollment not found`, also for Console apps' })
  async ask(
    @Ctx() ctx: RequestContext,
    @Param('joined_app_id') id: string,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const visit = await this.visits.enterFresh(ctx, request, response, null);
    if (!visit) return;
    const client = await this.apps.getLeavable(id);
    const enrollment = await this.enrollment.find(visit.holder.user.id, client.app.id);
    if (enrollment?.status !== 'active') throw new EnrollmentNotFound();
    await this.show(response, visit, client, { isLastAdmin: false });
  }

  @Post(':joined_app_id/leave')
  @Browser()
  @HttpCode(303)
  @ApiOperation({
    summary: 'Leave an app',
    description: 'Requires a sign-in from the last five minutes. Ends the membership in the app and the tokens for it.',
  })
  @ApiSeeOtherResponse({ description: 'Redirects to the account page, which shows a message' })
  @ApiNotFoundResponse({ description: '`Enrollment not found`, also for Console apps' })
  @ApiConflictResponse({ description: 'Error page: the last administrator cannot leave; `Enrollment is not active`' })
  async leave(
    @Ctx() ctx: RequestContext,
    @Param('joined_app_id') id: string,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const visit = await this.visits.submitFresh(ctx, request, response, null);
    if (!visit) return;
    const client = await this.apps.getLeavable(id);
    try {
      await this.apps.leave(visit.holder, client);
    } catch (error) {
      if (!(error instanceof LastAppAdmin)) throw error;
      return this.show(response, visit, client, { isLastAdmin: true });
    }
    this.visits.leaveWith(response, 'left');
  }

  @Post(':joined_app_id/consent/revoke')
  @Browser()
  @HttpCode(303)
  @ApiOperation({
    summary: 'Withdraw the consent to an app',
    description: 'Requires a sign-in from the last five minutes. Ends the tokens of the app. The user stays a member.',
  })
  @ApiSeeOtherResponse({ description: 'Redirects to the account page, which shows a message' })
  @ApiNotFoundResponse({ description: '`Consent not found`, `Enrollment not found`' })
  async takeBack(
    @Ctx() ctx: RequestContext,
    @Param('joined_app_id') id: string,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const visit = await this.visits.submitFresh(ctx, request, response, null);
    if (!visit) return;
    const { app } = await this.apps.getLeavable(id);
    await this.consents.revoke(visit.holder.ctx, visit.holder.user.id, app);
    this.visits.leaveWith(response, 'access-taken-back');
  }

  private show(
    response: Response,
    visit: Visit,
    { app, tenant }: RegisteredClient,
    { isLastAdmin }: { readonly isLastAdmin: boolean },
  ): Promise<void> {
    const errors = isLastAdmin ? [{ field: null, message: message('account.apps.last_admin', { app: app.name }) }] : [];
    const title = message('account.apps.leave_heading', { app: app.name });
    const model = { appId: app.id, app: app.name, tenant: tenant.name, errors };
    const status = isLastAdmin ? 409 : 200;
    return this.pages.showAct(response, visit, { view: 'account/leave-app', title, model, status });
  }
}
