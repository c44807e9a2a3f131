import { type ExecutionContext, Injectable } from '@nestjs/common';
import { ThrottlerGuard, type ThrottlerLimitDetail } from '@nestjs/throttler';
import type { Request } from 'express';
import type { Actor } from '../common/actor.js';
import { ACCESS_MARK, type AccessMark } from '../common/http/access-marks.js';
import type { RequestContext } from '../common/request-context.js';
import { callerKey } from './counter-keys.rules.js';
import { RateLimited } from './rate-limited.js';

const DETAIL = 'too_many_requests';

/**
 * The `admin` limit: every request of a person or service with a bearer token, counted per principal; `ConsoleRequests` counts
 * those of the console in the same. The
 * access guard asks it as soon as it knows who asks, before it decides what they may: refused requests count like others.
 */
@Injectable()
export class AdminThrottleGuard extends ThrottlerGuard {
  protected override async shouldSkip(context: ExecutionContext): Promise<boolean> {
    if (context.getType() !== 'http') return true;
    const request = context.switchToHttp().getRequest<Request>();
    return principalKey(actorOf(request)) === null || !(this.isBearerRoute(context) || isAdminPath(request.path));
  }

  protected override async getTracker(request: Record<string, unknown>): Promise<string> {
    return principalKey(actorOf(request))!;
  }

  /** Readable, because the counters are listed and cleared by it; and one for all routes together. */
  protected override generateKey(_context: ExecutionContext, principal: string): string {
    return principal;
  }

  protected override async throwThrottlingException(_: ExecutionContext, detail: ThrottlerLimitDetail): Promise<void> {
    throw new RateLimited(DETAIL, detail.timeToBlockExpire);
  }

  private isBearerRoute(context: ExecutionContext): boolean {
    const targets = [context.getHandler(), context.getClass()];
    return this.reflector.getAllAndOverride<AccessMark | undefined>(ACCESS_MARK, targets)?.kind === 'bearer';
  }
}

function actorOf(request: object): Actor | undefined {
  return (request as { context?: RequestContext }).context?.actor;
}

/** Null for those who have no identity to count by. */
function principalKey(actor: Actor | undefined): string | null {
  if (actor?.type === 'user') return callerKey(actor.userId);
  if (actor?.type === 'service') return `app:${actor.appId}`;
  return null;
}

function isAdminPath(path: string): boolean {
  return path === '/admin' || path.startsWith('/admin/');
}
