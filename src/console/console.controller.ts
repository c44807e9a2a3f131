import { Controller, Get, HttpCode, Post, Query, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { Browser } from '../common/http/access-marks.js';
import { Ctx } from '../common/http/context.decorator.js';
import type { RequestContext } from '../common/request-context.js';
import { ConsoleService } from './console.service.js';

/** The operator console: for now its way in, its way out, and an overview. */
@ApiExcludeController()
@Controller('console')
export class ConsoleController {
  constructor(private readonly console: ConsoleService) {}

  @Get()
  @Browser()
  overview(@Ctx() ctx: RequestContext, @Req() request: Request, @Res() response: Response): Promise<void> {
    return this.console.overview(ctx, request, response);
  }

  @Get('login')
  @Browser()
  login(@Req() request: Request, @Res() response: Response): Promise<void> {
    return this.console.login(request, response);
  }

  @Get('callback')
  @Browser()
  callback(
    @Ctx() ctx: RequestContext,
    @Query() query: Record<string, unknown>,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    return this.console.callback(ctx, query, request, response);
  }

  @Post('sign-out')
  @Browser()
  @HttpCode(303)
  signOut(@Ctx() ctx: RequestContext, @Req() request: Request, @Res() response: Response): Promise<void> {
    return this.console.signOut(ctx, request, response);
  }
}
