import { Refusal } from '../common/refusal.js';

export class RateLimited extends Refusal {
  /** @param retryAfterSeconds until the window ends */
  constructor(detail: string, retryAfterSeconds: number) {
    super('too_many_requests', detail, { retryAfter: retryAfterSeconds });
  }
}

/** The caller's earlier requests of this kind are still in progress. */
export class TooManyAtOnce extends RateLimited {}
