import { Body, Controller, Get, HttpCode, Param, Post, Query, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { Browser } from '../../common/http/access-marks.js';
import { Ctx } from '../../common/http/context.decorator.js';
import type { RequestContext } from '../../common/request-context.js';
import { InvalidInput } from '../../common/validation/invalid-input.js';
import { SignInFlow } from './sign-in-flow.js';
import type { Form } from './sign-in-step.js';

/** The hosted pages' own addresses: nobody but our forms posts here. */
@ApiExcludeController()
@Controller('sign-in')
export class SignInController {
  constructor(private readonly flow: SignInFlow) {}

  @Get(':attempt_id')
  @Browser()
  resume(
    @Ctx() ctx: RequestContext,
    @Param('attempt_id') attemptId: string,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    return this.flow.resume(ctx, attemptId, request, response);
  }

  @Get(':attempt_id/back')
  @Browser()
  goBack(
    @Param('attempt_id') attemptId: string,
    @Query('reason') reason: unknown,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    return this.flow.goBack(attemptId, reason, request, response);
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
    return this.flow.showOffered(ctx, attemptId, step, request, response);
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
    return this.flow.switchAccount(ctx, attemptId, request, response);
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
    return this.flow.submit(ctx, attemptId, step, readForm(body), request, response);
  }
}

function readForm(body: unknown): Form {
  const entries = Object.entries((body ?? {}) as Record<string, unknown>);
  const repeated = entries.find(([, value]) => typeof value !== 'string');
  if (repeated)
    throw new InvalidInput([
      { loc: ['body', repeated[0]], msg: 'Input should be a valid string', type: 'string_type' },
    ]);
  return Object.fromEntries(entries) as Form;
}
