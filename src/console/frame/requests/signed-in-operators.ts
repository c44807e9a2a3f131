import { Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { SsoSessionsService } from '../../../auth/session/sso-sessions.service.js';
import type { UserActor } from '../../../common/actor.js';
import { ConsoleEntrance } from '../../../operators/console-entrance.js';
import type { LiveConsoleSession } from '../../../operators/session/console-sessions.repository.js';
import { ConsoleSessionsService } from '../../../operators/session/console-sessions.service.js';
import { callerKey } from '../../../rate-limits/counters/counter-keys.rules.js';
import { RateLimitsService } from '../../../rate-limits/rate-limits.service.js';
import { ConsoleRedirect, NothingToAdminister } from './console.errors.js';

export interface SignedInOperator {
  readonly session: LiveConsoleSession;
  /** The operator's own identity, also while impersonating. */
  readonly own: UserActor;
}

/** The operator who is signed in to the console in this browser, and still has access. */
@Injectable()
export class SignedInOperators {
  constructor(
    private readonly sessions: ConsoleSessionsService,
    private readonly sso: SsoSessionsService,
    private readonly entrance: ConsoleEntrance,
    private readonly limits: RateLimitsService,
  ) {}

  /**
   * Counts against the same limit as a call of the admin API.
   * @throws ConsoleRedirect (to the sign-in page) without a session, NothingToAdminister, RateLimited
   */
  async identify(request: Request): Promise<SignedInOperator> {
    const session = await this.sessions.find(request);
    const own = session ? await this.entrance.identify(session.userId, session.amr) : await this.outside(request);
    if (own === 'no_access') throw isExit(request) ? new ConsoleRedirect('/console/login') : new NothingToAdminister();
    if (!session || own === 'signed_out') throw new ConsoleRedirect(loginUrl(request));
    await this.limits.consume('admin', callerKey(own));
    return { session, own: { ...own, consoleSession: session.id } };
  }

  /** A user who is signed in but administers nothing gets an answer instead of a redirect loop. */
  private async outside(request: Request): Promise<'signed_out' | 'no_access'> {
    const session = await this.sso.find(request);
    if (!session) return 'signed_out';
    const outcome = await this.entrance.identify(session.userId, session.amr);
    return outcome === 'no_access' ? 'no_access' : 'signed_out';
  }
}

/** Not refused without access, but redirected to the sign-in: there is no impersonation to leave. */
function isExit({ path }: Request): boolean {
  return /^\/console\/impersonate(?:-app)?-exit\/?$/.test(path);
}

function loginUrl({ method, originalUrl }: Request): string {
  const wanted = method === 'GET' && originalUrl !== '/console/' && originalUrl !== '/console';
  return `/console/login${wanted ? `?to=${encodeURIComponent(originalUrl)}` : ''}`;
}
