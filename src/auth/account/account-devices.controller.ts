import { Controller, HttpCode, Param, Post, Req, Res } from '@nestjs/common';
import { ApiNotFoundResponse, ApiOperation, ApiSeeOtherResponse, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { Browser } from '../../common/http/access-marks.js';
import { Ctx } from '../../common/http/context.decorator.js';
import type { RequestContext } from '../../common/request-context.js';
import { UserDevices } from '../../push/devices/user-devices.service.js';
import { AccountVisits } from './page/account-visits.js';
import { AccountPage } from './page/account-page.js';

/** The actions of the card with push devices. */
@ApiTags('Account')
@Controller('account/push-devices')
@AccountPage()
export class AccountDevicesController {
  constructor(
    private readonly visits: AccountVisits,
    private readonly devices: UserDevices,
  ) {}

  @Post(':device_id/remove')
  @Browser()
  @HttpCode(303)
  @ApiSeeOtherResponse({ description: 'Redirects to the account page, which shows a message' })
  @ApiOperation({
    summary: 'Remove a push device',
    description: 'Requires a sign-in from the last five minutes. Works for devices of any app.',
  })
  @ApiNotFoundResponse({ description: '`Device not found`, also for devices of other users' })
  async remove(
    @Ctx() ctx: RequestContext,
    @Param('device_id') id: string,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const visit = await this.visits.submitFresh(ctx, request, response, null);
    if (!visit) return;
    const { holder } = visit;
    await this.devices.remove(holder.ctx, holder.user.id, id);
    this.visits.leaveWith(response, 'device-removed');
  }
}
