import { Controller, Get, HttpCode, Post, Req, Res } from '@nestjs/common';
import { ApiFoundResponse, ApiOkResponse, ApiOperation, ApiSeeOtherResponse, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { Browser } from '../../../common/http/access-marks.js';
import { Ctx } from '../../../common/http/context.decorator.js';
import type { RequestContext } from '../../../common/request-context.js';
import type { AccountSection } from '../../hosted-sign-in/authorization-request/account-sections.js';
import { AccountSecondFactorSetup } from './account-second-factor-setup.js';
import { AccountSecondFactorPages } from './account-second-factor-pages.js';
import { AccountVisits, type Submission, type Visit } from '../page/account-visits.js';
import { AccountPage } from '../page/account-page.js';

/** Whether the page is for users with a second factor or for those without one. Others return to the account page. */
interface Needed {
  readonly hasOne: boolean;
}

/**
 * The pages of the second factor: setup, removal, new backup codes. Each requires a sign-in in the last five minutes.
 */
@ApiTags('Account')
@Controller('account/second-factor')
@AccountPage()
export class AccountSecondFactorController {
  constructor(
    private readonly visits: AccountVisits,
    private readonly pages: AccountSecondFactorPages,
    private readonly setup: AccountSecondFactorSetup,
  ) {}

  @Get()
  @Browser()
  @ApiOperation({ summary: 'Set up a second factor', description: 'Shows the QR code and the secret.' })
  @ApiOkResponse({ description: 'HTML' })
  @ApiFoundResponse({ description: 'Redirects to the sign-in or to the account page' })
  async showSetup(@Ctx() ctx: RequestContext, @Req() request: Request, @Res() response: Response): Promise<void> {
    const visit = await this.enter(ctx, request, response, 'second-factor', { hasOne: false });
    if (visit) await this.setup.show(response, visit);
  }

  @Post()
  @Browser()
  @HttpCode(200)
  @ApiOperation({ summary: 'Confirm the second factor with a code', description: 'Shows the backup codes once.' })
  @ApiOkResponse({ description: 'HTML' })
  async confirm(@Ctx() ctx: RequestContext, @Req() request: Request, @Res() response: Response): Promise<void> {
    const visit = await this.submit(ctx, request, response, 'second-factor', { hasOne: false });
    if (visit) await this.setup.confirm(request, response, visit, visit.fields);
  }

  @Get('remove')
  @Browser()
  @ApiOperation({ summary: 'Remove the second factor' })
  @ApiOkResponse({ description: 'HTML' })
  @ApiFoundResponse({ description: 'Redirects to the sign-in or to the account page' })
  async showRemoval(@Ctx() ctx: RequestContext, @Req() request: Request, @Res() response: Response): Promise<void> {
    const visit = await this.enter(ctx, request, response, 'second-factor/remove', { hasOne: true });
    if (visit) await this.pages.showCodeForm(response, visit, 'remove');
  }

  @Post('remove')
  @Browser()
  @HttpCode(303)
  @ApiSeeOtherResponse({ description: 'Redirects to the account page, which shows a message' })
  @ApiOperation({ summary: 'Remove the second factor with a code' })
  async remove(@Ctx() ctx: RequestContext, @Req() request: Request, @Res() response: Response): Promise<void> {
    const visit = await this.submit(ctx, request, response, 'second-factor/remove', { hasOne: true });
    if (visit) await this.pages.remove(response, visit, visit.fields);
  }

  @Get('codes')
  @Browser()
  @ApiOperation({ summary: 'Show the form for new backup codes' })
  @ApiOkResponse({ description: 'HTML' })
  @ApiFoundResponse({ description: 'Redirects to the sign-in or to the account page' })
  async showCodes(@Ctx() ctx: RequestContext, @Req() request: Request, @Res() response: Response): Promise<void> {
    const visit = await this.enter(ctx, request, response, 'second-factor/codes', { hasOne: true });
    if (visit) await this.pages.showCodeForm(response, visit, 'codes');
  }

  @Post('codes')
  @Browser()
  @HttpCode(200)
  @ApiOperation({
    summary: 'Create new backup codes with a code',
    description: 'Shows the new codes once. The old ones stop working.',
  })
  @ApiOkResponse({ description: 'HTML' })
  async makeCodes(@Ctx() ctx: RequestContext, @Req() request: Request, @Res() response: Response): Promise<void> {
    const visit = await this.submit(ctx, request, response, 'second-factor/codes', { hasOne: true });
    if (visit) await this.pages.makeCodes(response, visit, visit.fields);
  }

  private async enter(
    ctx: RequestContext,
    request: Request,
    response: Response,
    section: AccountSection,
    needed: Needed,
  ): Promise<Visit | null> {
    const visit = await this.visits.enterFresh(ctx, request, response, section);
    return visit && this.orLeave(visit, response, needed);
  }

  private async submit(
    ctx: RequestContext,
    request: Request,
    response: Response,
    section: AccountSection,
    needed: Needed,
  ): Promise<Submission | null> {
    const submission = await this.visits.submitFresh(ctx, request, response, section);
    return submission && this.orLeave(submission, response, needed);
  }

  private orLeave<V extends Visit>(visit: V, response: Response, { hasOne }: Needed): V | null {
    if ((visit.holder.user.totpEnabledAt !== null) === hasOne) return visit;
    this.visits.leaveWith(response, null);
    return null;
  }
}
