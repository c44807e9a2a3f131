import { Controller, HttpCode, Post, Req, Res } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiSeeOtherResponse, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { Browser } from '../../common/http/access-marks.js';
import { Ctx } from '../../common/http/context.decorator.js';
import type { RequestContext } from '../../common/request-context.js';
import { AccountPage } from './page/account-page.js';
import { AccountVisits } from './page/account-visits.js';
import { OwnExport } from './own/own-export.service.js';

/** The button that downloads the user's own data. */
@ApiTags('Account')
@Controller('account/export')
@AccountPage()
export class AccountExportController {
  constructor(
    private readonly visits: AccountVisits,
    private readonly exports: OwnExport,
  ) {}

  @Post()
  @Browser()
  @HttpCode(200)
  @ApiOperation({ summary: 'Download your data', description: 'Requires a sign-in from the last five minutes.' })
  @ApiOkResponse({ description: 'A JSON file without secrets and tokens, with the newest 1,000 audit entries at most' })
  @ApiSeeOtherResponse({ description: 'Redirects to the sign-in' })
  async download(@Ctx() ctx: RequestContext, @Req() request: Request, @Res() response: Response): Promise<void> {
    const visit = await this.visits.submitFresh(ctx, request, response, null);
    if (!visit) return;
    const file = await this.exports.make(visit.holder);
    response.setHeader('Content-Disposition', 'attachment; filename="account.json"');
    response.setHeader('Cache-Control', 'no-store');
    response.type('application/json').send(file);
  }
}
