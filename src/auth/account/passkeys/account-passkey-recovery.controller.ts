import { Controller, HttpCode, Post, Req, Res } from '@nestjs/common';
import { ApiOperation, ApiSeeOtherResponse, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { Browser } from '../../../common/http/access-marks.js';
import { Ctx } from '../../../common/http/context.decorator.js';
import type { RequestContext } from '../../../common/request-context.js';
import { PasskeyRecoveryStop } from '../../passkey-recovery/passkey-recovery-stop.service.js';
import { AccountPage } from '../page/account-page.js';
import { AccountVisits } from '../page/account-visits.js';

/** The button that cancels the removal of lost passkeys. */
@ApiTags('Account')
@Controller('account/passkey-recovery')
@AccountPage()
export class AccountPasskeyRecoveryController {
  constructor(
    private readonly visits: AccountVisits,
    private readonly stopping: PasskeyRecoveryStop,
  ) {}

  @Post('stop')
  @Browser()
  @HttpCode(303)
  @ApiOperation({
    summary: 'Stop the removal of lost passkeys',
    description: 'Works in any session, because it only keeps the passkeys that the account has.',
  })
  @ApiSeeOtherResponse({ description: 'Redirects to the account page, which shows a message' })
  async stop(@Ctx() ctx: RequestContext, @Req() request: Request, @Res() response: Response): Promise<void> {
    const visit = await this.visits.submit(ctx, request, response);
    if (!visit) return;
    await this.stopping.stopOwn(visit.holder);
    this.visits.leaveWith(response, 'passkeys-kept');
  }
}
