import { Body, Controller, Delete, Get, Param, Post, Query, Req, Res } from '@nestjs/common';
import {
  ApiBearerAuth,
  ApiCreatedResponse,
  ApiForbiddenResponse,
  ApiNotFoundResponse,
  ApiOkResponse,
  ApiOperation,
  ApiTags,
  ApiTooManyRequestsResponse,
  ApiUnauthorizedResponse,
} from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { Requires } from '../../common/http/access-marks.js';
import { Ctx } from '../../common/http/context.decorator.js';
import { setPageHeaders } from '../../common/http/pagination/page-headers.js';
import { WholeListQuery } from '../../common/http/pagination/page-query.dto.js';
import { wholeListOrPage } from '../../common/http/pagination/page-size.js';
import { StatusView } from '../../common/http/status.view.js';
import type { RequestContext } from '../../common/request-context.js';
import { DeviceListView, DeviceRegister, RegisteredView } from './push-device.dto.js';
import { DeviceRegistrationService } from './device-registration.service.js';
import { DeviceRemovalService } from './device-removal.service.js';
import { MAX_COUNTED_DEVICES } from './push-devices.repository.js';
import { PushDevicesService } from './push-devices.service.js';

@ApiTags('Push')
@ApiBearerAuth()
@ApiUnauthorizedResponse({ description: '`Invalid token`' })
@Controller('push/devices')
export class PushDevicesController {
  constructor(
    private readonly devices: PushDevicesService,
    private readonly registration: DeviceRegistrationService,
    private readonly removal: DeviceRemovalService,
  ) {}

  @Post('register')
  @Requires({ minimumRole: 'user', noToken: 'Invalid token' })
  @ApiOperation({
    summary: 'Register a device',
    description:
      'Registering the same token again updates `last_seen_at`. If another user registers it, the device moves to that user.',
  })
  @ApiCreatedResponse({ type: RegisteredView })
  @ApiForbiddenResponse({ description: '`Push not enabled`, `Insufficient permissions`' })
  @ApiTooManyRequestsResponse({ description: '`too_many_requests`' })
  async register(@Ctx() ctx: RequestContext, @Body() input: DeviceRegister): Promise<RegisteredView> {
    return { device_id: await this.registration.register(ctx, input) };
  }

  @Get(':app_id')
  @Requires({ minimumRole: 'app_admin', noToken: 'Invalid token' })
  @ApiOperation({
    summary: 'List the devices of an app',
    description:
      'Last seen first. Returns all devices, up to 1,000, unless you send `limit` or `page`. Returns X-Total-Count and Link headers.',
  })
  @ApiOkResponse({ type: DeviceListView })
  @ApiForbiddenResponse({ description: '`Insufficient permissions`' })
  @ApiNotFoundResponse({ description: '`App not found`' })
  async list(
    @Ctx() ctx: RequestContext,
    @Param('app_id') appId: string,
    @Query() query: WholeListQuery,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<DeviceListView> {
    const page = wholeListOrPage(query);
    const { devices, total, hasMore } = await this.devices.list(ctx, appId, page);
    setPageHeaders(request, response, { ...page, total: total < MAX_COUNTED_DEVICES ? total : null, more: hasMore });
    return {
      devices: devices.map((device) => ({
        device_id: device.id,
        user_id: device.userId,
        platform: device.platform,
        last_seen_at: device.lastSeenAt.toISOString(),
      })),
      total,
    };
  }

  @Delete(':device_id')
  @Requires({ minimumRole: 'user', scope: 'push:send', noToken: 'Invalid token' })
  @ApiOperation({
    summary: 'Remove a device',
    description: 'Users can remove their own devices. Service tokens can remove any device of their app.',
  })
  @ApiOkResponse({ type: StatusView })
  @ApiNotFoundResponse({ description: '`Device not found`' })
  async remove(@Ctx() ctx: RequestContext, @Param('device_id') id: string): Promise<StatusView> {
    await this.removal.remove(ctx, id);
    return { status: 'ok' };
  }
}
