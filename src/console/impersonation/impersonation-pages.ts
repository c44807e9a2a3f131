import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import type { FormError } from '../../common/pages/form-error.js';
import type { UserActor } from '../../common/actor.js';
import {
  IMPERSONATION_SECONDS,
  ImpersonationService,
  type Target,
} from '../../operators/impersonation/impersonation.service.js';
import { PLAIN_CONFIRMATION } from '../frame/pages/confirmation.js';
import { ConsolePages } from '../frame/pages/console-pages.js';
import type { ConsoleRequest } from '../frame/requests/console-request.js';
import { AlreadyActingAs } from '../frame/requests/console.errors.js';
import { OwnNavigation } from '../frame/requests/own-navigation.js';

const REASON_LENGTH = 200;
const HOME = '/console/';

/** Asks for the reason and starts an impersonation, or ends it. */
@Injectable()
export class ImpersonationPages {
  constructor(
    private readonly impersonations: ImpersonationService,
    private readonly navigation: OwnNavigation,
    private readonly pages: ConsolePages,
  ) {}

  /**
   * GET: always shows the form, even after a link on a page of the console. A link can contain a reason, but never
   * starts an impersonation.
   */
  async showForm(
    consoleRequest: ConsoleRequest,
    type: Target['type'],
    id: string,
    reason: unknown,
    response: Response,
  ): Promise<void> {
    const given = typeof reason === 'string' ? reason.replaceAll('\0', '').trim() : '';
    await this.ask(consoleRequest, await this.targetOf(consoleRequest, type, id), given, [], response);
  }

  async submit(
    consoleRequest: ConsoleRequest,
    type: Target['type'],
    id: string,
    reason: string,
    response: Response,
  ): Promise<void> {
    const target = await this.targetOf(consoleRequest, type, id);
    const length = [...reason].length;
    if (length === 0 || length > REASON_LENGTH) {
      const message =
        length === 0 ? 'Enter a reason. It is recorded in the audit log.' : `Use at most ${REASON_LENGTH} characters.`;
      return this.ask(consoleRequest, target, reason, [{ field: 'reason', message }], response);
    }
    if (!(await this.impersonations.start(consoleRequest.ctx, consoleRequest.session, response, target, reason)))
      throw new AlreadyActingAs();
    await this.pages.redirectWithFlash(consoleRequest, response, HOME, null);
  }

  async followExit(consoleRequest: ConsoleRequest, request: Request, response: Response): Promise<void> {
    const { impersonation } = consoleRequest;
    if (!impersonation || this.navigation.judge(request)) return this.exit(consoleRequest, response);
    await this.pages.confirm(consoleRequest, response, {
      ...PLAIN_CONFIRMATION,
      title: `Stop impersonating ${impersonation.name}?`,
      lead: 'You will have your own permissions again.',
      area: null,
      action: request.path,
      button: 'Stop impersonating',
      cancelUrl: HOME,
    });
  }

  async exit(consoleRequest: ConsoleRequest, response: Response): Promise<void> {
    const { impersonation, ctx } = consoleRequest;
    if (!impersonation) return this.pages.redirectWithFlash(consoleRequest, response, HOME, null);
    await this.impersonations.end(ctx, consoleRequest.session, response, 'exit');
    await this.pages.redirectWithFlash(
      consoleRequest,
      response,
      HOME,
      `You are no longer impersonating ${impersonation.name}.`,
    );
  }

  private async targetOf(consoleRequest: ConsoleRequest, type: Target['type'], id: string): Promise<Target> {
    const own: UserActor = { ...consoleRequest.actor, authority: consoleRequest.own };
    const target = await this.impersonations.getTarget(own, type, id);
    if (consoleRequest.impersonation) throw new AlreadyActingAs();
    return target;
  }

  private ask(
    consoleRequest: ConsoleRequest,
    target: Target,
    reason: string,
    errors: readonly FormError[],
    response: Response,
  ): Promise<void> {
    const { type, id, name } = target;
    const minutes = IMPERSONATION_SECONDS / 60;
    return this.pages.confirm(consoleRequest, response, {
      ...PLAIN_CONFIRMATION,
      title: `Impersonate ${name}?`,
      lead: `For ${minutes} minutes you will have the same access as ${type === 'tenant' ? 'an admin of this tenant' : 'an admin of this app'}.`,
      area: type === 'tenant' && consoleRequest.own.platform ? 'tenants' : null,
      status: errors.length > 0 ? 422 : 200,
      impact: [
        { label: type === 'tenant' ? 'Tenant' : 'App', value: name },
        { label: 'Recorded', value: 'Everything you do, under your own name' },
        { label: 'Not allowed', value: 'Signing in to apps as another user; changing your own rights' },
      ],
      reasonLabel: 'Reason (recorded in the audit log)',
      reason,
      action: type === 'tenant' ? `/console/impersonate/${id}` : `/console/impersonate-app/${id}`,
      button: `Impersonate ${type}`,
      cancelUrl: type === 'tenant' ? `/console/tenants/${id}` : `/console/apps/${id}`,
      errors,
    });
  }
}
