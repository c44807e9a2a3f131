import { Body, Controller, Get, HttpCode, Param, Post, Query, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { Browser } from '../../../common/http/access-marks.js';
import { Ctx } from '../../../common/http/context.decorator.js';
import type { RequestContext } from '../../../common/request-context.js';
import { AccountSwitch } from './account-switch.js';
import { SignInForms } from './sign-in-forms.js';
import { SignInViews } from './sign-in-views.js';
import { readSubmittedForm } from './submitted-form.js';

/** The routes of the hosted pages: only their own forms post here. */
@ApiExcludeController()
@Controller('sign-in')
export class SignInController {
  constructor(
    private readonly views: SignInViews,
    private readonly forms: SignInForms,
    private readonly accounts: AccountSwitch,
  ) {}

  @Get(':attempt_id')
  @Browser()
  resume(
    @Ctx() ctx: RequestContext,
    @Param('attempt_id') attemptId: string,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    return this.views.resume({ ctx, request, response }, attemptId);
  }

  @Get(':attempt_id/back')
  @Browser()
  goBack(
    @Ctx() ctx: RequestContext,
    @Param('attempt_id') attemptId: string,
    @Query('reason') reason: unknown,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    return this.views.goBack({ ctx, request, response }, attemptId, reason);
  }

  @Get(':attempt_id/:step')
  @Browser()
  showOffered(
    @Ctx() ctx: RequestContext,
    @Param('attempt_id') attemptId: string,
    @Param('step') step: string,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    return this.views.showOffered({ ctx, request, response }, attemptId, step);
  }

  @Post(':attempt_id/other-account')
  @Browser()
  @HttpCode(303)
  switchAccount(
    @Ctx() ctx: RequestContext,
    @Param('attempt_id') attemptId: string,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    return this.accounts.switchAccount({ ctx, request, response }, attemptId);
  }

  @Post(':attempt_id/:step')
  @Browser()
  @HttpCode(303)
  submit(
    @Ctx() ctx: RequestContext,
    @Param('attempt_id') attemptId: string,
    @Param('step') step: string,
    @Body() body: unknown,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    return this.forms.submit({ ctx, request, response }, attemptId, step, readSubmittedForm(body));
  }
}
