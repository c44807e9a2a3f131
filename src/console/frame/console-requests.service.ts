import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { BrowserBinding } from '../../auth/session/browser-binding.js';
import { SsoSessionsService } from '../../auth/session/sso-sessions.service.js';
import type { UserActor } from '../../common/actor.js';
import type { ContextualRequest } from '../../common/http/context.decorator.js';
import { callerKey } from '../../rate-limits/counter-keys.rules.js';
import { RateLimitsService } from '../../rate-limits/rate-limits.service.js';
import { ImpersonationService } from '../impersonation/impersonation.service.js';
import { ConsoleEntrance } from '../session/console-entrance.js';
import type { LiveConsoleSession } from '../session/console-sessions.repository.js';
import { ConsoleSessionsService } from '../session/console-sessions.service.js';
import { ActiveTenant } from './active-tenant.js';
import type { ConsoleRequest } from './console-request.js';
import { GoElsewhere, NothingToAdminister } from './console.errors.js';

/** From a request to the operator behind it, as the database knows them now. */
@Injectable()
export class ConsoleRequests {
  constructor(
    private readonly sessions: ConsoleSessionsService,
    private readonly sso: SsoSessionsService,
    private readonly entrance: ConsoleEntrance,
    private readonly impersonations: ImpersonationService,
    private readonly browser: BrowserBinding,
    private readonly tenant: ActiveTenant,
    private readonly limits: RateLimitsService,
  ) {}

  /**
   * Counts against the same limit as a call of the admin API.
   * @throws GoElsewhere (to the sign-in page) without a session, NothingToAdminister, RateLimited
   */
  async enter(request: ContextualRequest, response: Response): Promise<ConsoleRequest> {
    const session = await this.sessions.find(request);
    const own = session ? await this.entrance.identify(session.userId, session.amr) : await this.outside(request);
    if (own === 'no_access') throw isExit(request) ? new GoElsewhere('/console/login') : new NothingToAdminister();
    if (!session || own === 'signed_out') throw new GoElsewhere(wayIn(request));
    await this.limits.consume('admin', callerKey(own.userId));
    const ctx = { ...request.context, actor: own };
    const acting = session.impersonation && (await this.impersonations.read(own, session));
    if (session.impersonation && !acting) {
      // A form that was filled in while impersonating must not be sent with the operator's own authority.
      await this.impersonations.end(ctx, session, response, session.impersonationIsOver ? 'expired' : 'not_allowed');
      throw new GoElsewhere(request.method === 'GET' ? request.originalUrl : '/console/');
    }
    const actor: UserActor = acting ? { ...own, authority: acting.authority } : own;
    return {
      ctx: acting ? { ...ctx, actor, actingAs: acting.actingAs } : ctx,
      actor,
      own: own.authority,
      session,
      impersonation: session.impersonation,
      formToken: this.browser.formToken(this.browser.ensure(request, response), purposeOf(session)),
      tenantId: this.tenant.read(request, actor),
    };
  }

  /** An upload is not read yet when it is judged: its form sends the token in the address. @throws CrossSiteRequest */
  checkForm(request: Request, { session }: ConsoleRequest): void {
    const isUpload = request.is('multipart/form-data') !== false;
    this.browser.checkForm(request, purposeOf(session), isUpload ? request.query['form_token'] : undefined);
  }

  /** A user who is signed in but administers nothing gets an answer instead of a redirect loop. */
  private async outside(request: Request): Promise<'signed_out' | 'no_access'> {
    const session = await this.sso.find(request);
    if (!session) return 'signed_out';
    const outcome = await this.entrance.identify(session.userId, session.amr);
    return outcome === 'no_access' ? 'no_access' : 'signed_out';
  }
}

/** Another one when an impersonation begins or ends, so that a form acts as whom it was shown to. */
function purposeOf({ binding }: LiveConsoleSession): string {
  return `console:${binding}`;
}

/** Never refused: without an impersonation there is nothing to leave. */
function isExit({ path }: Request): boolean {
  return /^\/console\/impersonate(?:-app)?-exit\/?$/.test(path);
}

function wayIn({ method, originalUrl }: Request): string {
  const wanted = method === 'GET' && originalUrl !== '/console/' && originalUrl !== '/console';
  return `/console/login${wanted ? `?to=${encodeURIComponent(originalUrl)}` : ''}`;
}
