import { Body, Controller, Get, Headers, HttpCode, Param, Post, UseInterceptors } from '@nestjs/common';
import {
  ApiBadRequestResponse,
  ApiBearerAuth,
  ApiConflictResponse,
  ApiForbiddenResponse,
  ApiHeader,
  ApiNotFoundResponse,
  ApiOkResponse,
  ApiOperation,
  ApiServiceUnavailableResponse,
  ApiTags,
  ApiTooManyRequestsResponse,
  ApiUnauthorizedResponse,
} from '@nestjs/swagger';
import { LargeBodyInterceptor } from '../../../common/http/bodies/large-body.interceptor.js';
import { Requires } from '../../../common/http/access-marks.js';
import { Ctx } from '../../../common/http/context.decorator.js';
import type { RequestContext } from '../../../common/request-context.js';
import { InvalidInput } from '../../../common/validation/invalid-input.js';
import {
  BatchRequest,
  BatchSentView,
  BulkRequest,
  BulkSentView,
  NotificationView,
  SendRequest,
  NotificationSentView,
} from './send.dto.js';
import { SentNotificationsService } from './sent-notifications.service.js';
import { SendService } from './send.service.js';

const SENDER = { scope: 'push:send', noToken: 'Invalid token', freeBody: true } as const;
const KEY = /^[\x21-\x7e]{1,255}$/;
const KEY_HEADER = {
  name: 'Idempotency-Key',
  required: false,
  description: 'Repeating the request with the same key within 24 hours sends nothing again',
};

@ApiTags('Push')
@ApiBearerAuth()
@ApiUnauthorizedResponse({ description: '`Invalid token`' })
@ApiForbiddenResponse({ description: '`Missing required scope`, `Push not enabled`' })
@Controller('push')
export class SendController {
  constructor(
    private readonly sending: SendService,
    private readonly sent: SentNotificationsService,
  ) {}

  @Post('send')
  @Requires(SENDER)
  @HttpCode(200)
  @ApiHeader(KEY_HEADER)
  @ApiOperation({
    summary: 'Send a notification to one user',
    description: 'Sends to all devices of the user in the app. The response does not wait for the delivery.',
  })
  @ApiOkResponse({ type: NotificationSentView })
  @ApiBadRequestResponse({ description: '`User not enrolled`, `Data payload too large`' })
  @ApiConflictResponse({ description: '`This Idempotency-Key was used with a different request. Use a new key`' })
  @ApiTooManyRequestsResponse({ description: '`Daily quota exceeded`; `too_many_requests`: limit `admin`' })
  async send(
    @Ctx() ctx: RequestContext,
    @Body() input: SendRequest,
    @Headers('idempotency-key') key: unknown,
  ): Promise<NotificationSentView> {
    const [id] = await this.sending.send(ctx, {
      userIds: [input.user_id],
      messages: [messageOf(input)],
      isList: false,
      idempotencyKey: readKey(key),
      request: { send: input },
    });
    return { notification_id: id! };
  }

  @Post('send/bulk')
  @Requires(SENDER)
  @HttpCode(200)
  @ApiHeader(KEY_HEADER)
  @ApiOperation({
    summary: 'Send one notification to up to 500 users',
    description: 'Either all notifications are accepted or none.',
  })
  @ApiOkResponse({ type: BulkSentView })
  @ApiBadRequestResponse({ description: '`User not enrolled`, `Data payload too large`' })
  @ApiConflictResponse({ description: '`This Idempotency-Key was used with a different request. Use a new key`' })
  @ApiTooManyRequestsResponse({ description: '`Daily quota exceeded`; `too_many_requests`: limit `admin`' })
  async bulk(
    @Ctx() ctx: RequestContext,
    @Body() input: BulkRequest,
    @Headers('idempotency-key') key: unknown,
  ): Promise<BulkSentView> {
    const ids = await this.sending.send(ctx, {
      userIds: input.user_ids,
      messages: [messageOf(input)],
      isList: false,
      idempotencyKey: readKey(key),
      request: { bulk: input },
    });
    return { notification_ids: [...ids] };
  }

  @Post('send/batch')
  @UseInterceptors(LargeBodyInterceptor)
  @Requires(SENDER)
  @HttpCode(200)
  @ApiHeader(KEY_HEADER)
  @ApiOperation({
    summary: 'Send up to 500 different notifications',
    description: 'Either all notifications are accepted or none.',
  })
  @ApiOkResponse({ type: BatchSentView })
  @ApiServiceUnavailableResponse({ description: '`Too many large requests at once`, with Retry-After' })
  @ApiBadRequestResponse({
    description: '`User not enrolled`, `Data payload too large`; the field `index` says which item',
  })
  @ApiConflictResponse({ description: '`This Idempotency-Key was used with a different request. Use a new key`' })
  @ApiTooManyRequestsResponse({ description: '`Daily quota exceeded`; `too_many_requests`: limit `admin`' })
  async batch(
    @Ctx() ctx: RequestContext,
    @Body() input: BatchRequest,
    @Headers('idempotency-key') key: unknown,
  ): Promise<BatchSentView> {
    const ids = await this.sending.send(ctx, {
      userIds: input.notifications.map(({ user_id }) => user_id),
      messages: input.notifications.map(messageOf),
      isList: true,
      idempotencyKey: readKey(key),
      request: { batch: input },
    });
    const results = input.notifications.map(({ user_id }, index) => ({
      index,
      user_id,
      notification_id: ids[index]!,
      status: 'queued' as const,
    }));
    return { notification_ids: [...ids], results };
  }

  @Get('notifications/:notification_id')
  @Requires(SENDER)
  @ApiOperation({ summary: 'Get the status of a notification' })
  @ApiOkResponse({ type: NotificationView })
  @ApiNotFoundResponse({ description: '`Notification not found`' })
  async get(@Ctx() ctx: RequestContext, @Param('notification_id') id: string): Promise<NotificationView> {
    const notification = await this.sent.get(ctx, id);
    return {
      notification_id: notification.id,
      app_id: notification.appId,
      user_id: notification.userId,
      title: notification.title,
      body: notification.body,
      data: notification.data,
      ttl: notification.ttl,
      status: notification.status,
      device_count: notification.deviceCount,
      delivered_count: notification.deliveredCount,
      failed_count: notification.failedCount,
      created_at: notification.createdAt.toISOString(),
      completed_at: notification.completedAt?.toISOString() ?? null,
    };
  }
}

function messageOf({ title, body, data, ttl }: Pick<SendRequest, 'title' | 'body' | 'data' | 'ttl'>) {
  return { title, body, data: data ?? null, ttl: ttl ?? null };
}

function readKey(key: unknown): string | null {
  if (key === undefined) return null;
  if (typeof key === 'string' && KEY.test(key)) return key;
  throw new InvalidInput([
    { loc: ['header', 'idempotency-key'], msg: 'Must be 1 to 255 printable characters', type: 'value_error' },
  ]);
}
