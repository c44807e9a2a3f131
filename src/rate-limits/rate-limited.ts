import { Refusal } from '../common/refusal.js';

export class RateLimited extends Refusal {
  /** @param retryAfterSeconds until the window ends */
  constructor(detail: string, retryAfterSeconds: number) {
    super('too_many_requests', detail, { retryAfter: retryAfterSeconds });
  }
}
