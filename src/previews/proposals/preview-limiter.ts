import { Injectable } from '@nestjs/common';
import { type Actor, canAdministerPlatform } from '../../common/actor.js';
import type { KeyLimit } from '../../common/concurrency/semaphore.js';
import type { RequestContext } from '../../common/request-context.js';
import { limitOfTenants, limitsOf } from '../../common/concurrency/caller-limits.js';
import { OnePerCaller } from '../../rate-limits/one-per-caller.js';
import { callerKey } from '../../rate-limits/counters/counter-keys.rules.js';
import { RateLimitsService } from '../../rate-limits/rate-limits.service.js';
import type { PreviewScope } from './preview-subject.js';

/**
 * Concurrent previews of a process for all callers: each evaluates up to thousands of members, and sign-ins take
 * precedence.
 */
const MAX_PARALLEL_PREVIEWS = 3;
/** Of one tenant, so that it never holds all permits; all of its apps together have one less, and each app one. */
const MAX_PER_TENANT = 2;
/** Includes one permit for platform admins, which tenants cannot use. */
const MAX_WITH_PLATFORM = MAX_PARALLEL_PREVIEWS + 1;
const RETRY_SECONDS = 2;

/** Limits the previews that a process evaluates. A permit is held while a preview is evaluated, about a second. */
@Injectable()
export class PreviewLimiter {
  private readonly judged = new OnePerCaller(
    {
      busy: 'Your last preview is still in progress',
      crowded: 'Too many previews are in progress',
      retrySeconds: RETRY_SECONDS,
    },
    MAX_WITH_PLATFORM,
  );

  constructor(private readonly limits: RateLimitsService) {}

  /** @throws RateLimited, ServiceUnavailable */
  async run<T>(ctx: RequestContext, about: PreviewScope, work: () => Promise<T>): Promise<T> {
    const release = await this.acquire(ctx, about);
    try {
      return await work();
    } finally {
      release();
    }
  }

  /**
   * @returns a function to call when the preview ends
   * @throws RateLimited, ServiceUnavailable
   */
  async acquire({ actor }: RequestContext, about: PreviewScope): Promise<() => void> {
    const caller = callerKey(actor) ?? SYSTEM;
    if (caller !== SYSTEM) await this.limits.consume('change_preview', caller);
    const limits = [...limitsIn(actor, about), ...limitOfTenants(actor, MAX_PARALLEL_PREVIEWS)];
    return this.judged.acquire(caller, [limits]);
  }
}

const SYSTEM = 'system';

/** Platform admins have no limit, so that tenants cannot block them. */
function limitsIn(actor: Actor, { tenantId, appId }: PreviewScope): readonly KeyLimit[] {
  return canAdministerPlatform(actor) ? [] : limitsOf(actor, tenantId ?? 'several', MAX_PER_TENANT, appId);
}
