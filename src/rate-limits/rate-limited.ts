import { Refusal } from '../common/refusal.js';

export class RateLimited extends Refusal {
  /**
   * @param retryAfterSeconds until the window ends
   * @param oauthError if it is not `too_many_requests`
   */
  constructor(
    detail: string,
    readonly retryAfterSeconds: number,
    oauthError?: string,
  ) {
    super('too_many_requests', detail, { retryAfter: retryAfterSeconds, ...(oauthError ? { oauthError } : {}) });
  }
}

/** The caller's earlier requests of this kind are still in progress. */
export class TooManyAtOnce extends RateLimited {}
