import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import type { FormError } from '../../../common/pages/form-error.js';
import { Clock } from '../../../common/clock.js';
import { timeInWords } from '../../../common/pages/time-in-words.js';
import { PushSettingsService } from '../../../push/settings/push-settings.service.js';
import { MAX_REPLAYED_MESSAGES } from '../../../push/webhooks/endpoints/webhooks.service.js';
import { MAX_COUNTED_MESSAGES, WebhookLog } from '../../../push/webhooks/messages/webhook-log.service.js';
import type { ConsoleRequest, Fields } from '../../frame/requests/console-request.js';
import { pagerOf, readChosenPage } from '../../frame/lists/pager.js';
import { AppPages } from '../page/app-pages.js';
import { appPath } from '../page/app-tabs.js';
import { healthRow, MESSAGE_COLUMNS, messageRow, statusOptions, webhookStatusOf } from './webhook-rows.js';

interface Shown {
  /** Values of a form with errors; absent: the current values. */
  readonly fields?: Fields;
  readonly errors?: readonly FormError[];
  /** New secret. Only this response shows it. */
  readonly secret?: { readonly value: string; readonly previousUntil: Date };
}

/** The webhook of an app and its messages. */
@Injectable()
export class WebhooksTab {
  constructor(
    private readonly settings: PushSettingsService,
    private readonly log: WebhookLog,
    private readonly pages: AppPages,
    private readonly clock: Clock,
  ) {}

  /** Asks nothing if there is no address. @throws AppNotFound, InsufficientPermissions */
  async askToRemove(consoleRequest: ConsoleRequest, response: Response, appId: string): Promise<void> {
    const { app, webhookUrl } = await this.settings.get(consoleRequest.ctx, appId);
    const home = appPath(app, 'webhooks');
    if (webhookUrl === null)
      return this.pages.redirectWithFlash(consoleRequest, response, home, 'The webhook has no URL.');
    const waiting = await this.log.count(consoleRequest.ctx, appId, 'queued', MAX_COUNTED_MESSAGES + 1);
    await this.pages.ask(consoleRequest, response, app, 'webhooks', {
      title: `Remove the webhook URL of ${app.name}?`,
      lead: 'The receiver gets no further events. Events from now on are not queued for later.',
      impact: [
        { label: 'URL', value: webhookUrl },
        {
          label: 'Waiting messages',
          value: `${inWords(waiting)}; they are sent if you set another URL within 30 days`,
        },
        { label: 'Secret', value: 'Kept' },
      ],
      action: appPath(app, 'webhooks', '/remove'),
      button: 'Remove URL',
    });
  }

  /** @throws AppNotFound, InsufficientPermissions */
  async askToReplayFailed(consoleRequest: ConsoleRequest, response: Response, appId: string): Promise<void> {
    const { app, webhookUrl } = await this.settings.get(consoleRequest.ctx, appId);
    const failed = await this.log.count(consoleRequest.ctx, appId, 'failed', MAX_REPLAYED_MESSAGES);
    await this.pages.ask(consoleRequest, response, app, 'webhooks', {
      title: 'Send failed messages again?',
      lead: 'Each is sent with the same ID and body, so that the receiver can recognize what it has already processed.',
      impact: [
        { label: 'Messages', value: failed.toLocaleString('en') },
        { label: 'URL', value: webhookUrl ?? 'None' },
      ],
      isDanger: false,
      action: appPath(app, 'webhooks', '/replay-failed'),
      button: 'Send messages again',
    });
  }

  /** @throws AppNotFound, InsufficientPermissions */
  async show(
    consoleRequest: ConsoleRequest,
    request: Request,
    response: Response,
    appId: string,
    { fields, errors = [], secret }: Shown = {},
  ): Promise<void> {
    const settings = await this.settings.get(consoleRequest.ctx, appId);
    const { app, webhookUrl } = settings;
    const isUnreadable = settings.unreadable.includes('webhook_secret');
    const status = webhookStatusOf(request.query['status']);
    const page = readChosenPage(request.query);
    const { messages, total, hasMore } = await this.log.list(consoleRequest.ctx, appId, { status, ...page });
    const health = await this.log.health(consoleRequest.ctx, appId);
    const now = this.clock.now();
    await this.pages.show(consoleRequest, response, app, {
      tab: 'webhooks',
      errors,
      model: {
        hasUrl: webhookUrl !== null,
        url: fields?.['webhook_url'] ?? webhookUrl ?? '',
        hasSecret: settings.webhookSecret !== null || isUnreadable,
        isUnreadable,
        isDisabled: settings.webhookDisabled,
        health: healthRow(health, now),
        mayTest: settings.webhookSecret !== null && webhookUrl !== null && !settings.webhookDisabled,
        secret: secret
          ? { value: secret.value, previousUntil: timeInWords(secret.previousUntil, this.clock.now()) }
          : null,
        states: statusOptions(status),
        isFiltered: status !== undefined,
        columns: MESSAGE_COLUMNS,
        messages: messages.map((message) => messageRow(app, message, now)),
        pager: pagerOf(request, { ...page, total, hasMore, count: messages.length }),
      },
    });
  }
}

function inWords(count: number): string {
  const most = MAX_COUNTED_MESSAGES.toLocaleString('en');
  return count > MAX_COUNTED_MESSAGES ? `More than ${most}` : count.toLocaleString('en');
}
