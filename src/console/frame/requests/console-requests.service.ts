import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { BrowserBinding } from '../../../auth/session/browser-binding.js';
import type { UserActor } from '../../../common/actor.js';
import type { ContextualRequest } from '../../../common/http/context.decorator.js';
import { ImpersonationService } from '../../../operators/impersonation/impersonation.service.js';
import type { LiveConsoleSession } from '../../../operators/session/console-sessions.repository.js';
import { ActiveTenant, cutToTenant, onlyTenantOf } from './active-tenant.js';
import type { ConsoleRequest } from './console-request.js';
import { ConsoleRedirect } from './console.errors.js';
import { SignedInOperators } from './signed-in-operators.js';

/** Finds the operator of a request, with their current data in the database. */
@Injectable()
export class ConsoleRequests {
  constructor(
    private readonly operators: SignedInOperators,
    private readonly impersonations: ImpersonationService,
    private readonly browser: BrowserBinding,
    private readonly tenant: ActiveTenant,
  ) {}

  /** @throws ConsoleRedirect (to the sign-in page) without a session, NothingToAdminister, RateLimited */
  async enter(request: ContextualRequest, response: Response): Promise<ConsoleRequest> {
    const { session, own } = await this.operators.identify(request);
    const ctx = { ...request.context, actor: own };
    const acting = session.impersonation && (await this.impersonations.read(own, session));
    if (session.impersonation && !acting) {
      // A form that was shown during an impersonation must not be sent with the operator's own authority.
      await this.impersonations.end(ctx, session, response, session.impersonationIsOver ? 'expired' : 'not_allowed');
      throw new ConsoleRedirect(request.method === 'GET' ? request.originalUrl : '/console/');
    }
    const actor: UserActor = acting ? { ...own, authority: acting.authority } : own;
    const chosenTenantId = this.tenant.read(request, actor);
    const actingCtx = acting ? { ...ctx, actor, actingAs: acting.actingAs } : ctx;
    return {
      ctx: actingCtx,
      listCtx: cutToTenant(actingCtx, actor, chosenTenantId),
      actor,
      own: own.authority,
      session,
      impersonation: session.impersonation,
      formToken: this.browser.formToken(this.browser.ensure(request, response), purposeOf(session)),
      chosenTenantId,
      tenantId: chosenTenantId ?? onlyTenantOf(actor),
    };
  }

  /** An upload is checked before it is read, so its form has the token in the URL. @throws CrossSiteRequest */
  checkForm(request: Request, { session }: ConsoleRequest): void {
    const isUpload = request.is('multipart/form-data') !== false;
    this.browser.checkForm(request, purposeOf(session), isUpload ? request.query['form_token'] : undefined);
  }
}

/**
 * Changes when an impersonation begins or ends, so that a form can only act with the identity for which it was shown.
 */
function purposeOf({ binding }: LiveConsoleSession): string {
  return `console:${binding}`;
}
