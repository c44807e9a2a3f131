import { type ExecutionContext, Injectable } from '@nestjs/common';
import { ThrottlerGuard, type ThrottlerLimitDetail } from '@nestjs/throttler';
import type { Request } from 'express';
import { ACCESS_MARK, type AccessMark } from '../common/http/access-marks.js';
import type { RequestContext } from '../common/request-context.js';
import { callerKey } from './counter-keys.rules.js';
import { RateLimited } from './rate-limited.js';

const DETAIL = 'too_many_requests';

/**
 * The `admin` limit: every request of a person or service with a bearer token, counted by caller; `SignedInOperators` counts
 * those of the console in the same. The access guard asks it as soon as it knows who asks, before it decides what they may: refused requests count like others.
 */
@Injectable()
export class AdminThrottleGuard extends ThrottlerGuard {
  protected override async shouldSkip(context: ExecutionContext): Promise<boolean> {
    if (context.getType() !== 'http') return true;
    const request = context.switchToHttp().getRequest<Request>();
    return keyOf(request) === null || !(this.isBearerRoute(context) || isAdminPath(request.path));
  }

  protected override async getTracker(request: Record<string, unknown>): Promise<string> {
    return keyOf(request)!;
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

/** Null for those who have no identity to count by. */
function keyOf(request: object): string | null {
  const { context } = request as { context?: RequestContext };
  return context ? callerKey(context.actor) : null;
}

function isAdminPath(path: string): boolean {
  return path === '/admin' || path.startsWith('/admin/');
}
