import { Controller, Get, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { Clock } from '../../common/clock.js';
import { prefersHtml } from '../../common/errors/error.filter.js';
import { Browser } from '../../common/http/access-marks.js';
import { PageRenderer } from '../../common/pages/page-renderer.js';
import { timeInWords } from '../../common/pages/time-in-words.js';
import type { CapturedPush } from '../../push/sink/captured-push.entity.js';
import { PushSink } from '../../push/sink/push-sink.service.js';

/** Shows every notification that the service would have sent to Firebase, newest first. */
@ApiExcludeController()
@Controller('dev/push')
export class PushSinkController {
  constructor(
    private readonly sink: PushSink,
    private readonly pages: PageRenderer,
    private readonly clock: Clock,
  ) {}

  @Get()
  @Browser()
  async list(@Req() request: Request, @Res() response: Response): Promise<void> {
    const pushes = await this.sink.list();
    if (!prefersHtml(request)) {
      response.json(pushes.map(view));
      return;
    }
    await this.pages.send(response, {
      view: 'dev/push',
      title: 'Push',
      layout: 'dev',
      model: {
        pushes: pushes.map((push) => ({
          title: (push.payload as { notification?: { title?: string } }).notification?.title ?? push.notificationId,
          device: push.deviceId,
          when: timeInWords(push.createdAt, this.clock.now()),
          payload: JSON.stringify(push.payload, null, 2),
        })),
      },
    });
  }
}

function view(push: CapturedPush) {
  return {
    id: push.id,
    app_id: push.appId,
    user_id: push.userId,
    device_id: push.deviceId,
    notification_id: push.notificationId,
    payload: push.payload,
    created_at: push.createdAt.toISOString(),
  };
}
