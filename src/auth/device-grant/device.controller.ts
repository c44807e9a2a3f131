import { Body, Controller, Get, HttpCode, Post, Query, Req, Res } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiQuery, ApiSeeOtherResponse, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { Browser } from '../../common/http/access-marks.js';
import { Ctx } from '../../common/http/context.decorator.js';
import type { RequestContext } from '../../common/request-context.js';
import { NetworkLimit } from '../../rate-limits/network-limit.js';
import { DeviceForm } from './device-form.js';
import { DevicePages } from './device-pages.js';

/** The verification URI of the device grant (RFC 8628 section 3.3). */
@ApiTags('Sign-in')
@Controller('device')
export class DeviceController {
  constructor(
    private readonly pages: DevicePages,
    private readonly form: DeviceForm,
  ) {}

  @Get()
  @Browser()
  @NetworkLimit('login_page_ip')
  @ApiOperation({
    summary: 'Show the page to enter the code of a device (RFC 8628)',
    description: 'Opening the page changes nothing, even with the code in the query.',
  })
  @ApiQuery({
    name: 'user_code',
    required: false,
    description: 'The code that the page is filled in with',
    example: 'BCDF-GHJK',
  })
  @ApiOkResponse({ description: 'HTML' })
  show(
    @Query('user_code') code: unknown,
    @Query('error') reason: unknown,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    return this.pages.show(request, response, { code: text(code), reason: text(reason) });
  }

  @Post()
  @Browser()
  @NetworkLimit('login_page_ip')
  @HttpCode(303)
  @ApiOperation({ summary: 'Enter the code of a device (RFC 8628)' })
  @ApiSeeOtherResponse({
    description: 'Redirects to the hosted sign-in of the app, which asks the user to compare the code',
  })
  proceed(
    @Ctx() ctx: RequestContext,
    @Body() body: Record<string, unknown> | undefined,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    return this.form.proceed(ctx, text(body?.['user_code']), request, response);
  }
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
