import { Injectable } from '@nestjs/common';
import { ServiceUnavailable } from '../common/http/http.refusals.js';
import type { RequestContext } from '../common/request-context.js';
import { callerKey } from '../rate-limits/counter-keys.rules.js';
import { RateLimited } from '../rate-limits/rate-limited.js';
import { RateLimitsService } from '../rate-limits/rate-limits.service.js';

/** Previews of a process at a time, of all callers together: each judges up to thousands of members, and sign-ins come first. */
const MOST_AT_ONCE = 3;
const RETRY_SECONDS = 2;

/** Whom the process judges a preview for now: one for each caller. */
@Injectable()
export class PreviewPlaces {
  private readonly callers = new Set<string>();

  constructor(private readonly limits: RateLimitsService) {}

  /** @throws RateLimited, ServiceUnavailable */
  async run<T>(ctx: RequestContext, work: () => Promise<T>): Promise<T> {
    const leave = await this.take(ctx);
    try {
      return await work();
    } finally {
      leave();
    }
  }

  /** @returns to be called when the preview ends @throws RateLimited, ServiceUnavailable */
  async take({ actor }: RequestContext): Promise<() => void> {
    const caller = actor.type === 'user' ? callerKey(actor.userId) : actor.type;
    if (actor.type === 'user') await this.limits.consume('change_preview', caller);
    if (this.callers.has(caller)) throw new RateLimited('Your last preview is still in progress', RETRY_SECONDS);
    if (this.callers.size >= MOST_AT_ONCE)
      throw new ServiceUnavailable('Too many previews are in progress', RETRY_SECONDS);
    this.callers.add(caller);
    return () => this.callers.delete(caller);
  }
}
