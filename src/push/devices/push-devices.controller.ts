import { Body, Controller, Delete, Get, Param, Post, Query } from '@nestjs/common';
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
import { Requires } from '../../common/http/access-marks.js';
import { Ctx } from '../../common/http/context.decorator.js';
import { StatusView } from '../../common/http/status.view.js';
import type { RequestContext } from '../../common/request-context.js';
import { DeviceListQuery, DeviceListView, DeviceRegister, RegisteredView } from './push-device.dto.js';
import { PushDevicesService } from './push-devices.service.js';

@ApiTags('Push')
@ApiBearerAuth()
@ApiUnauthorizedResponse({ description: '`Invalid token`' })
@Controller('push/devices')
export class PushDevicesController {
  constructor(private readonly devices: PushDevicesService) {}

  @Post('register')
  @Requires({ standing: 'user', noToken: 'Invalid token' })
  @ApiOperation({
    summary: 'Register a device',
    description: 'Again with the same token: seen; by another person: moved.',
  })
  @ApiCreatedResponse({ type: RegisteredView })
  @ApiForbiddenResponse({ description: '`Push not enabled`, `Insufficient permissions`' })
  @ApiTooManyRequestsResponse({ description: '`too_many_requests`' })
  async register(@Ctx() ctx: RequestContext, @Body() input: DeviceRegister): Promise<RegisteredView> {
    return { device_id: await this.devices.register(ctx, input) };
  }

  @Get(':app_id')
  @Requires({ standing: 'app_admin', noToken: 'Invalid token' })
  @ApiOperation({ summary: 'Devices of an app', description: 'Last seen first.' })
  @ApiOkResponse({ type: DeviceListView })
  @ApiForbiddenResponse({ description: '`Insufficient permissions`' })
  @ApiNotFoundResponse({ description: '`App not found`' })
  async list(
    @Ctx() ctx: RequestContext,
    @Param('app_id') appId: string,
    @Query() query: DeviceListQuery,
  ): Promise<DeviceListView> {
    const { devices, total } = await this.devices.list(ctx, appId, { limit: query.limit ?? 50, page: query.page ?? 1 });
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
  @Requires({ standing: 'user', scope: 'push:send', noToken: 'Invalid token' })
  @ApiOperation({ summary: 'Remove a device', description: 'One’s own, or by service token one of the app’s.' })
  @ApiOkResponse({ type: StatusView })
  @ApiNotFoundResponse({ description: '`Device not found`' })
  async remove(@Ctx() ctx: RequestContext, @Param('device_id') id: string): Promise<StatusView> {
    await this.devices.remove(ctx, id);
    return { status: 'ok' };
  }
}
