import { Body, Controller, Get, Header, HttpCode, Post, Query, Req, Res } from '@nestjs/common';
import { ApiBadRequestResponse, ApiOkResponse, ApiOperation, ApiProperty, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { Browser, Public } from '../../../common/http/access-marks.js';
import { NetworkLimit } from '../../../rate-limits/network-limit.js';
import { Ctx } from '../../../common/http/context.decorator.js';
import { StatusView } from '../../../common/http/status.view.js';
import type { RequestContext } from '../../../common/request-context.js';
import { Email, Text, Uuid } from '../../../common/validation/fields.js';
import { MAX_PASSWORD_LENGTH } from '../../../users/passwords/password.rules.js';
import { PasswordResetPages } from './password-reset-pages.js';
import { PasswordResetService } from './password-reset.service.js';
import { ResetRequests } from './reset-requests.service.js';

class ForgotPasswordRequest {
  @Email({ lookUp: true })
  email: string;

  @Uuid()
  app_id: string;
}

class ResetPasswordRequest {
  @Text({ min: 1, max: 512 })
  token: string;

  @Text({ min: 1, max: MAX_PASSWORD_LENGTH, secret: true })
  password: string;
}

class ForgottenView {
  @ApiProperty() detail: string;
}

@ApiTags('Sign-in')
@Controller()
export class PasswordResetController {
  constructor(
    private readonly requests: ResetRequests,
    private readonly resets: PasswordResetService,
    private readonly pages: PasswordResetPages,
  ) {}

  @Post('auth/forgot-password')
  @Public()
  @HttpCode(200)
  @Header('Cache-Control', 'no-store')
  @ApiOperation({
    summary: 'Send a password reset link',
    description: 'Always returns 200, whether the account exists or not.',
  })
  @ApiOkResponse({ type: ForgottenView })
  async forgot(@Ctx() ctx: RequestContext, @Body() input: ForgotPasswordRequest): Promise<ForgottenView> {
    await this.requests.request(ctx, input.email, input.app_id.toLowerCase());
    return { detail: 'If an account exists for this address, a link to set a new password has been sent.' };
  }

  @Post('auth/reset-password')
  @Public()
  @NetworkLimit('reset_password_ip')
  @HttpCode(200)
  @Header('Cache-Control', 'no-store')
  @ApiOperation({
    summary: 'Set a new password with a password reset token',
    description: 'Ends every session and refresh token of the user. Does not sign the user in.',
  })
  @ApiOkResponse({ type: StatusView })
  @ApiBadRequestResponse({
    description:
      '`Invalid or expired token`, `Password must be at least N characters`, `This password is too common`, …',
  })
  async reset(@Ctx() ctx: RequestContext, @Body() input: ResetPasswordRequest): Promise<StatusView> {
    await this.resets.reset(ctx, input.token, input.password);
    return { status: 'ok' };
  }

  @Get('reset-password')
  @Browser()
  @ApiOperation({ summary: 'Open a password reset link', description: 'Opening the page does not use up the link.' })
  @ApiOkResponse({ description: 'HTML' })
  show(@Query('token') token: unknown, @Req() request: Request, @Res() response: Response): Promise<void> {
    return this.pages.show(typeof token === 'string' ? token : '', request, response);
  }

  @Post('reset-password')
  @Browser()
  @NetworkLimit('reset_password_ip')
  @HttpCode(200)
  @ApiOperation({ summary: 'Set a new password on the page of a password reset link' })
  @ApiOkResponse({ description: 'HTML' })
  submit(
    @Ctx() ctx: RequestContext,
    @Body() body: Record<string, unknown>,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const text = (name: string) => (typeof body[name] === 'string' ? body[name] : '');
    return this.pages.submit(ctx, text('token'), text('password'), request, response);
  }
}
