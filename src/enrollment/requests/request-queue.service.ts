import { Injectable } from '@nestjs/common';
import type { RequestContext } from '../../common/request-context.js';
import { userScope } from '../users/visible-users.service.js';
import type { RequestKey, RequestPlace } from './request-place.js';
import { type RequestPage, RequestQueueRepository, type WaitingRequest } from './request-queue.repository.js';

/** Counting stops there: pages say `99+`. */
export const MAX_COUNTED_REQUESTS = 100;

/** The requests for access that a caller may decide: those whose apps they administer. */
@Injectable()
export class RequestQueue {
  constructor(private readonly requests: RequestQueueRepository) {}

  /**
   * Longest waiting first.
   * @param appId only those of this app; nothing where the caller does not administer it
   * @param search the typed text: only requests of matching users, see `matchesSearch`
   */
  list(
    ctx: RequestContext,
    { after, limit, ...filter }: { appId?: string; search?: string; after: RequestPlace | null; limit: number },
  ): Promise<RequestPage> {
    return this.requests.page({ scope: userScope(ctx.actor), ...filter }, after, limit);
  }

  /** Those of the requests that wait and that the caller may decide, longest waiting first. */
  async among(ctx: RequestContext, picks: readonly RequestKey[]): Promise<readonly WaitingRequest[]> {
    return (await this.requests.page({ scope: userScope(ctx.actor), picks }, null, picks.length)).requests;
  }

  /** Up to {@link MAX_COUNTED_REQUESTS}. */
  count(ctx: RequestContext, appId?: string): Promise<number> {
    return this.requests.count({ scope: userScope(ctx.actor), appId }, MAX_COUNTED_REQUESTS);
  }
}
