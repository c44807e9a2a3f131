import { Body, Controller, Get, Param, Patch } from '@nestjs/common';
import {
  ApiBearerAuth,
  ApiForbiddenResponse,
  ApiNotFoundResponse,
  ApiOkResponse,
  ApiOperation,
  ApiTags,
  ApiUnauthorizedResponse,
} from '@nestjs/swagger';
import { AppDirectory } from '../../apps/directory/app-directory.js';
import { AppNotFound } from '../../apps/app/apps.errors.js';
import { Public, Requires } from '../../common/http/access-marks.js';
import { Ctx } from '../../common/http/context.decorator.js';
import type { RequestContext } from '../../common/request-context.js';
import { NetworkLimit } from '../../rate-limits/network-limit.js';
import { PushDevicesService } from '../devices/push-devices.service.js';
import { PushQuota } from '../quota/push-quota.service.js';
import { PushNotEnabled } from '../errors/push.errors.js';
import { PushConfigUpdate, PushConfigView, PushOverviewView, VapidView } from './push-settings.dto.js';
import type { OpenPushSettings } from './push-secrets.js';
import { PushSettingsService } from './push-settings.service.js';
import { ShownPushSettings } from './shown-push-settings.js';

const ADMIN = { minimumRole: 'app_admin', noToken: 'Invalid token' } as const;

@ApiTags('Push')
@Controller('push')
export class PushSettingsController {
  constructor(
    private readonly settings: PushSettingsService,
    private readonly shown: ShownPushSettings,
    private readonly devices: PushDevicesService,
    private readonly quota: PushQuota,
    private readonly directory: AppDirectory,
  ) {}

  @Patch('config/:app_id')
  @Requires({ ...ADMIN, recentSignIn: 'for_settings' })
  @ApiBearerAuth()
  @ApiOperation({
    summary: 'Update the push settings of an app',
    description:
      'Send any subset of the fields. Enabling push for the first time creates the keys and the webhook secret. The audit log records who has read the webhook secret, as for GET.',
  })
  @ApiOkResponse({ type: PushConfigView })
  @ApiUnauthorizedResponse({ description: '`Invalid token`' })
  @ApiForbiddenResponse({ description: '`Insufficient permissions`' })
  @ApiNotFoundResponse({ description: '`App not found`' })
  async update(
    @Ctx() ctx: RequestContext,
    @Param('app_id') appId: string,
    @Body() input: PushConfigUpdate,
  ): Promise<PushConfigView> {
    return view(await this.shown.update(ctx, appId, input));
  }

  @Get('config/:app_id')
  @Requires(ADMIN)
  @ApiBearerAuth()
  @ApiOperation({
    summary: 'Get the push settings and usage of an app',
    description:
      'The audit log records who has read the webhook secret: `push.secret_shown`, once an hour for each reader.',
  })
  @ApiOkResponse({ type: PushOverviewView })
  @ApiUnauthorizedResponse({ description: '`Invalid token`' })
  @ApiForbiddenResponse({ description: '`Insufficient permissions`' })
  @ApiNotFoundResponse({ description: '`App not found`' })
  async get(@Ctx() ctx: RequestContext, @Param('app_id') appId: string): Promise<PushOverviewView> {
    const settings = await this.shown.get(ctx, appId);
    const [deviceCount, today] = await Promise.all([this.devices.count(appId), this.quota.usedToday(appId)]);
    return { ...view(settings), device_count: deviceCount, notifications_today: today };
  }

  @Get('vapid/:app_id')
  @Public()
  @NetworkLimit('vapid_ip')
  @ApiOperation({
    summary: 'Get the VAPID public key for browsers',
    description: 'Use it as `applicationServerKey` (RFC 8292).',
  })
  @ApiOkResponse({ type: VapidView })
  @ApiForbiddenResponse({ description: '`Push not enabled`' })
  @ApiNotFoundResponse({ description: '`App not found`' })
  async vapid(@Param('app_id') appId: string): Promise<VapidView> {
    const client = await this.directory.findOpen(appId);
    if (!client) throw new AppNotFound();
    if (!client.app.pushEnabled) throw new PushNotEnabled();
    const key = await this.settings.findVapidKey(client.app.id);
    if (key === null) throw new PushNotEnabled();
    return { vapid_public_key: key };
  }
}

function view(settings: OpenPushSettings): PushConfigView {
  return {
    enabled: settings.app.pushEnabled,
    webhook_url: settings.webhookUrl,
    webhook_secret: settings.webhookSecret,
    daily_quota: settings.dailyQuota,
    vapid_public_key: settings.vapid?.publicKey ?? null,
    fcm_configured: settings.fcm !== null,
    webhook_disabled: settings.webhookDisabled,
    ...(settings.unreadable.length > 0 && { unreadable_secrets: [...settings.unreadable] }),
  };
}
