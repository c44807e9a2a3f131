import { Controller, HttpCode, Post, Res } from '@nestjs/common';
import type { Response } from 'express';
import { MEMBERSHIP_ACTIONS, MEMBERSHIP_PERMISSION } from '../../enrollment/enrollments/membership-actions.js';
import type { RequestKey } from '../../enrollment/requests/request-cursor.js';
import type { WaitingRequest } from '../../enrollment/requests/request-queue.repository.js';
import { RequestQueue } from '../../enrollment/requests/request-queue.service.js';
import { quantity } from '../../common/pages/quantity.js';
import { PLAIN_CONFIRMATION } from '../frame/pages/confirmation.js';
import { ConsolePage } from '../frame/pages/console-page.js';
import { ConsolePages } from '../frame/pages/console-pages.js';
import {
  type ConsoleRequest,
  type Fields,
  FormFields,
  CurrentConsoleRequest,
} from '../frame/requests/console-request.js';
import { LARGEST_CONSOLE_PAGE } from '../frame/lists/pager.js';
import { MEMBERSHIP_WORDS } from '../memberships/membership-words.js';
import { decidedWords, RequestDecisions } from './request-decisions.js';
import { isRequestAct, queueUrl, REQUESTS, type RequestAct } from './request-paths.js';

const UUID = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';
const PICKED = new RegExp(`^pick:(${UUID}):(${UUID})$`);
const CONFIRMED = 'confirmed:';

/**
 * Decides the requests that are selected on one page of the queue, for several apps. All requests to one app are decided
 * by `MemberBulkController`, as a task if there are many.
 */
@Controller('console/requests/bulk')
export class RequestBulkController {
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
    @FormFields() fields: Fields,
    @Res() response: Response,
  ): Promise<void> {
    const { act } = fields;
    const picks = picksOf(fields);
    const back = queueUrl(fields);
    const fault = faultOf(act, picks);
    if (!isRequestAct(act) || fault)
      return this.pages.redirectWithFlash(consoleRequest, response, back, fault, 'warning');
    const requests = await this.queue.among(consoleRequest.ctx, picks);
    if (isUnasked(act, requests, fields)) return this.ask(consoleRequest, response, act, requests, fields);
    const decided = await this.decisions.decideAll(consoleRequest, act, requests);
    const all = { ...decided, overtaken: decided.overtaken + picks.length - requests.length };
    const kind = all.done === picks.length && all.unmailed === 0 ? 'done' : 'warning';
    await this.pages.redirectWithFlash(consoleRequest, response, back, decidedWords(act, all), kind);
  }

  private ask(
    consoleRequest: ConsoleRequest,
    response: Response,
    act: RequestAct,
    requests: readonly WaitingRequest[],
    fields: Fields,
  ): Promise<void> {
    const { many } = MEMBERSHIP_WORDS[act];
    const who = quantity(requests.length, 'user', 'users');
    return this.pages.confirm(consoleRequest, response, {
      ...PLAIN_CONFIRMATION,
      title: many.title(who, appsOf(requests)),
      lead: many.lead,
      area: 'requests',
      crumbs: [REQUESTS],
      status: 200,
      impact: requests.map(({ displayName, email, emailVerified }) => ({
        label: displayName,
        value: `${email}${emailVerified ? '' : ' (not verified)'}`,
      })),
      action: '/console/requests/bulk',
      hidden: [
        { name: 'act', value: act },
        { name: 'app', value: fields['app'] ?? '' },
        { name: 'q', value: fields['q'] ?? '' },
        ...requests.flatMap((request) => [
          { name: `pick:${request.userId}:${request.appId}`, value: 'on' },
          { name: `${CONFIRMED}${request.userId}`, value: request.email },
        ]),
      ],
      button: act === 'deny' ? 'Deny requests' : 'Approve requests',
      isDanger: MEMBERSHIP_ACTIONS[act].isDestructive,
      cancelUrl: queueUrl(fields),
    });
  }
}

function picksOf(fields: Fields): RequestKey[] {
  return Object.keys(fields).flatMap((name) => {
    const [, userId, appId] = PICKED.exec(name) ?? [];
    return userId && appId ? [{ userId, appId }] : [];
  });
}

function faultOf(act: unknown, picks: readonly RequestKey[]): string | null {
  if (!isRequestAct(act)) return 'Choose an action.';
  if (picks.length === 0) return 'Select at least one request.';
  return picks.length > LARGEST_CONSOLE_PAGE ? `Select at most ${LARGEST_CONSOLE_PAGE} requests.` : null;
}

/** Denying several requests always needs confirmation; approving them does if an address is not verified. */
function isUnasked(act: RequestAct, requests: readonly WaitingRequest[], fields: Fields): boolean {
  const requested = act === 'deny' ? requests : requests.filter(({ emailVerified }) => !emailVerified);
  return requested.some(({ userId, email }) => fields[`${CONFIRMED}${userId}`] !== email);
}

function appsOf(requests: readonly WaitingRequest[]): string {
  const names = new Set(requests.map(({ appName }) => appName));
  return names.size === 1 ? [...names][0]! : `${names.size} apps`;
}
