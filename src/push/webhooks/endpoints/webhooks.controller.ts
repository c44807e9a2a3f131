import { Controller, Get, HttpCode, Param, Post, Query, Req, Res } from '@nestjs/common';
import {
  ApiBadRequestResponse,
  ApiBearerAuth,
  ApiConflictResponse,
  ApiForbiddenResponse,
  ApiNotFoundResponse,
  ApiOkResponse,
  ApiOperation,
  ApiParam,
  ApiTags,
  ApiUnauthorizedResponse,
} from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { Requires } from '../../../common/http/access-marks.js';
import { Ctx } from '../../../common/http/context.decorator.js';
import { setPageHeaders } from '../../../common/http/pagination/page-headers.js';
import { pageOf } from '../../../common/http/pagination/page-size.js';
import type { RequestContext } from '../../../common/request-context.js';
import { WebhookMessageNotFound } from '../../errors/push.errors.js';
import { WebhookSecrets } from '../../settings/webhook-secrets.service.js';
import {
  WebhookListQuery,
  WebhookListView,
  WebhookQueuedView,
  WebhookReplayedView,
  WebhookSecretView,
} from './webhook.dto.js';
import { webhookId } from '../sending/webhook-signature.rules.js';
import { webhookMessageView } from './webhook-message.view.js';
import { WebhooksService } from './webhooks.service.js';
import { MAX_COUNTED_MESSAGES, WebhookLog } from '../messages/webhook-log.service.js';

const ADMIN = { minimumRole: 'app_admin', noToken: 'Invalid token' } as const;
/** As in `webhook-id`, or without its prefix. */
const MESSAGE_ID = /^(?:msg_)?([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;

@ApiTags('Push')
@ApiBearerAuth()
@ApiUnauthorizedResponse({ description: '`Invalid token`' })
@ApiNotFoundResponse({ description: '`App not found`' })
@Controller('push')
export class WebhooksController {
  constructor(
    private readonly webhooks: WebhooksService,
    private readonly log: WebhookLog,
    private readonly secrets: WebhookSecrets,
  ) {}

  @Post('config/:app_id/webhook-secret')
  @Requires({ ...ADMIN, recentSignIn: 'always' })
  @HttpCode(200)
  @ApiOperation({
    summary: 'Regenerate the webhook secret',
    description: 'The previous secret also signs for 24 hours.',
  })
  @ApiOkResponse({ type: WebhookSecretView })
  @ApiForbiddenResponse({ description: '`Insufficient permissions`, `Push not enabled`' })
  async rotateSecret(@Ctx() ctx: RequestContext, @Param('app_id') appId: string): Promise<WebhookSecretView> {
    const { secret, previousUntil } = await this.secrets.rotate(ctx, appId);
    return { webhook_secret: secret, previous_secret_until: previousUntil.toISOString() };
  }

  @Post('config/:app_id/webhook-test')
  @Requires(ADMIN)
  @HttpCode(200)
  @ApiOperation({
    summary: 'Send a test event to the webhook',
    description: 'Sends an event of the type `webhook.test`.',
  })
  @ApiOkResponse({ type: WebhookQueuedView })
  @ApiBadRequestResponse({ description: '`Webhook not configured`' })
  @ApiConflictResponse({ description: '`Webhook is disabled`' })
  @ApiForbiddenResponse({ description: '`Insufficient permissions`, `Push not enabled`' })
  async test(@Ctx() ctx: RequestContext, @Param('app_id') appId: string): Promise<WebhookQueuedView> {
    return { id: webhookId(await this.webhooks.test(ctx, appId)), status: 'queued' };
  }

  @Get('webhooks/:app_id')
  @Requires(ADMIN)
  @ApiOperation({
    summary: 'List the messages sent to the webhook',
    description:
      'Lists messages from the last 30 days, newest first. Returns a Link header if there are more, and X-Total-Count up to 10,000.',
  })
  @ApiOkResponse({ type: WebhookListView })
  @ApiForbiddenResponse({ description: '`Insufficient permissions`' })
  async list(
    @Ctx() ctx: RequestContext,
    @Param('app_id') appId: string,
    @Query() query: WebhookListQuery,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<WebhookListView> {
    const page = pageOf(query);
    const { messages, total, hasMore } = await this.log.list(ctx, appId, { status: query.status, ...page });
    setPageHeaders(request, response, { ...page, total, more: hasMore });
    return { messages: messages.map(webhookMessageView), total: total ?? MAX_COUNTED_MESSAGES };
  }

  @Post('webhooks/:app_id/replay-failed')
  @Requires(ADMIN)
  @HttpCode(200)
  @ApiOperation({
    summary: 'Send failed messages again',
    description:
      'Sends the newest 1,000 failed messages, each with the same `webhook-id` and body. Repeat the request while `replayed` is 1,000.',
  })
  @ApiOkResponse({ type: WebhookReplayedView })
  @ApiBadRequestResponse({ description: '`Webhook not configured`' })
  @ApiConflictResponse({ description: '`Webhook is disabled`' })
  @ApiForbiddenResponse({ description: '`Insufficient permissions`, `Push not enabled`' })
  async replayFailed(@Ctx() ctx: RequestContext, @Param('app_id') appId: string): Promise<WebhookReplayedView> {
    return { replayed: await this.webhooks.replayFailed(ctx, appId) };
  }

  @Post('webhooks/:app_id/:message/replay')
  @Requires(ADMIN)
  @HttpCode(200)
  @ApiOperation({
    summary: 'Send a message again',
    description: 'Sends the message immediately, with the same `webhook-id` and body.',
  })
  @ApiParam({ name: 'message', description: 'The `id` from the list' })
  @ApiOkResponse({ type: WebhookQueuedView })
  @ApiBadRequestResponse({ description: '`Webhook not configured`' })
  @ApiConflictResponse({ description: '`Webhook is disabled`' })
  @ApiForbiddenResponse({ description: '`Insufficient permissions`, `Push not enabled`' })
  @ApiNotFoundResponse({ description: '`App not found`, `Message not found`' })
  async replay(
    @Ctx() ctx: RequestContext,
    @Param('app_id') appId: string,
    @Param('message') message: string,
  ): Promise<WebhookQueuedView> {
    const id = MESSAGE_ID.exec(message.toLowerCase())?.[1];
    if (!id) throw new WebhookMessageNotFound();
    await this.webhooks.replay(ctx, appId, id);
    return { id: webhookId(id), status: 'queued' };
  }
}
