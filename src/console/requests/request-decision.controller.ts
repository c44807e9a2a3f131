import { Controller, HttpCode, NotFoundException, Param, Post, Res } from '@nestjs/common';
import type { Response } from 'express';
import { isUuid } from '../../common/validation/fields.js';
import { MEMBERSHIP_PERMISSION } from '../../enrollment/enrollments/membership-actions.js';
import type { WaitingRequest } from '../../enrollment/requests/request-queue.repository.js';
import { RequestQueue } from '../../enrollment/requests/request-queue.service.js';
import { PLAIN_CONFIRMATION } from '../frame/pages/confirmation.js';
import { ConsolePage } from '../frame/pages/console-page.js';
import { ConsolePages } from '../frame/pages/console-pages.js';
import {
  type ConsoleRequest,
  type Fields,
  FormFields,
  CurrentConsoleRequest,
} from '../frame/requests/console-request.js';
import { CONFIRMED_EMAIL, isUnasked, questionOf } from '../memberships/membership-questions.js';
import { doneWords } from '../memberships/membership-words.js';
import { RequestDecisions } from './request-decisions.js';
import { decisionUrl, isRequestAct, queueUrl, REQUESTS } from './request-paths.js';

/** Approves or denies a request in a list. Asks for confirmation if the address is not verified. */
@Controller('console/requests/:app_id/:user_id/:act')
export class RequestDecisionController {
  constructor(
    private readonly queue: RequestQueue,
    private readonly decisions: RequestDecisions,
    private readonly pages: ConsolePages,
  ) {}

  @Post()
  @ConsolePage(MEMBERSHIP_PERMISSION.minimumRole, { ...MEMBERSHIP_PERMISSION, back: '/console/requests' })
  @HttpCode(303)
  async decide(
    @CurrentConsoleRequest() consoleRequest: ConsoleRequest,
    @Param() params: Readonly<Record<string, string>>,
    @FormFields() fields: Fields,
    @Res() response: Response,
  ): Promise<void> {
    const { act } = params;
    const key = { appId: params['app_id']!, userId: params['user_id']! };
    if (!isRequestAct(act) || !isUuid(key.appId) || !isUuid(key.userId)) throw new NotFoundException();
    const [request] = await this.queue.among(consoleRequest.ctx, [key]);
    if (request && isUnasked(act, request, fields)) return this.ask(consoleRequest, response, request, fields);
    const change = await this.decisions.decide(consoleRequest, act, key);
    const words = change ? doneWords(act, request?.displayName ?? 'The user', change.emailSent) : OVERTAKEN;
    const isDone = change !== null && change.emailSent !== false;
    const back = queueUrl(fields);
    await this.pages.redirectWithFlash(consoleRequest, response, back, words, isDone ? 'done' : 'warning');
  }

  private ask(
    consoleRequest: ConsoleRequest,
    response: Response,
    request: WaitingRequest,
    fields: Fields,
  ): Promise<void> {
    const question = questionOf('approve', request)!;
    return this.pages.confirm(consoleRequest, response, {
      ...PLAIN_CONFIRMATION,
      title: question.title(request.displayName, request.appName),
      lead: question.lead,
      area: 'requests',
      crumbs: [REQUESTS],
      status: 200,
      impact: [
        { label: 'User', value: `${request.displayName}, ${request.email}` },
        ...(request.message ? [{ label: 'Message', value: request.message }] : []),
      ],
      action: decisionUrl(request, 'approve'),
      hidden: [
        { name: CONFIRMED_EMAIL, value: request.email },
        { name: 'app', value: fields['app'] ?? '' },
        { name: 'q', value: fields['q'] ?? '' },
      ],
      button: question.button,
      cancelUrl: queueUrl(fields),
    });
  }
}

const OVERTAKEN = 'This request was already decided.';
